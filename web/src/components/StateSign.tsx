import { useTranslation } from "react-i18next";
import type { RunState, TaskRow } from "~/api/generated";
import { RUN_SIGNS, SIGNS, shownState, TEXT } from "./state";

/** The sign of a task's state, with its name beside it or behind it. */
export function StateSign({
  task,
  named = false,
}: {
  task: Pick<TaskRow, "state" | "blocked">;
  named?: boolean;
}) {
  const { t } = useTranslation();
  const shown = shownState(task);
  const { tone, icon: Icon } = SIGNS[shown];
  const name = t(`state.${shown}`);
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap font-medium ${TEXT[tone]}`}>
      <Icon aria-hidden size={14} strokeWidth={2.2} />
      {named ? name : <span className="sr-only">{name}</span>}
    </span>
  );
}

export function RunSign({ status }: { status: RunState }) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = RUN_SIGNS[status];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap font-medium ${TEXT[tone]}`}>
      <Icon aria-hidden size={14} strokeWidth={2.2} />
      {t(`runState.${status}`)}
    </span>
  );
}
