import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { RunRow, TaskRow } from "~/api/generated";
import { marksText } from "./marks";
import { displayState, RUN_STATE_STYLES, rateLimitEnd, STATE_STYLES, TEXT_COLORS } from "./state";
import { useFormatClockTime } from "./timeFormat";

type Props = { task: Pick<TaskRow, "state" | "blocked" | "marks">; named?: boolean };

/**
 * The icon of a task's state, and its marks. If `named`, both are text; otherwise a second icon says that there are
 * marks, with their text in its tooltip and for screen readers.
 */
export function TaskStateLabel({ task, named = false }: Props) {
  const { t } = useTranslation();
  const formatClock = useFormatClockTime();
  const state = displayState(task);
  const { tone, icon: Icon } = STATE_STYLES[state];
  const until = state === "rateLimited" ? rateLimitEnd(task) : null;
  const label =
    until === null ? t(`state.${state}`) : t("state.rateLimitedUntil", { time: formatClock(until) });
  const marks = marksText(t, task.marks);
  return (
    <span
      title={named ? undefined : [label, marks].filter(Boolean).join(" · ")}
      className={`inline-flex min-w-0 items-center gap-1 font-medium ${named ? "" : "shrink-0"} ${TEXT_COLORS[tone]}`}
    >
      <Icon aria-hidden size={14} strokeWidth={2.2} className="shrink-0" />
      <span className={named ? "whitespace-nowrap" : "sr-only"}>{label}</span>
      {marks !== "" && !named && (
        <CircleAlert aria-hidden data-marks size={12} strokeWidth={2.2} className="shrink-0 text-soft" />
      )}
      {marks !== "" && <span className={named ? "font-normal text-soft" : "sr-only"}>{`· ${marks}`}</span>}
    </span>
  );
}

/** The state of a run. It is not "Running" while nothing continues until the user acts. */
export function RunStateLabel({ run: { status, needsUser } }: { run: Pick<RunRow, "status" | "needsUser"> }) {
  const { t } = useTranslation();
  const isWaiting = status === "running" && needsUser;
  const { tone, icon: Icon } = isWaiting ? STATE_STYLES.needsAnswer : RUN_STATE_STYLES[status];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap font-medium ${TEXT_COLORS[tone]}`}>
      <Icon aria-hidden size={14} strokeWidth={2.2} />
      {isWaiting ? t("state.needsAnswer") : t(`runState.${status}`)}
    </span>
  );
}
