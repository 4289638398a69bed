import { useTranslation } from "react-i18next";
import type { RunState, TaskRow } from "~/api/generated";
import { displayState, RUN_STATE_STYLES, rateLimitEnd, STATE_STYLES, TEXT_COLORS } from "./state";
import { useFormatClockTime } from "./timeFormat";

type Props = { task: Pick<TaskRow, "state" | "blocked" | "marks">; named?: boolean };

/** The icon of a task's state. Its name is visible if `named`, and always available to screen readers. */
export function TaskStateLabel({ task, named = false }: Props) {
  const { t } = useTranslation();
  const formatClock = useFormatClockTime();
  const state = displayState(task);
  const { tone, icon: Icon } = STATE_STYLES[state];
  const until = state === "rateLimited" ? rateLimitEnd(task) : null;
  const label =
    until === null ? t(`state.${state}`) : t("state.rateLimitedUntil", { time: formatClock(until) });
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap font-medium ${TEXT_COLORS[tone]}`}>
      <Icon aria-hidden size={14} strokeWidth={2.2} />
      <span className={named ? "" : "sr-only"}>{label}</span>
      {task.marks.map((mark) => (
        <span key={mark} className={named ? "font-normal text-soft" : "sr-only"}>
          · {t(`mark.${mark}`)}
        </span>
      ))}
    </span>
  );
}

export function RunStateLabel({ status }: { status: RunState }) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = RUN_STATE_STYLES[status];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap font-medium ${TEXT_COLORS[tone]}`}>
      <Icon aria-hidden size={14} strokeWidth={2.2} />
      {t(`runState.${status}`)}
    </span>
  );
}
