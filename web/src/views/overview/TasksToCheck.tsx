import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { RunRow, TaskRow } from "~/api/generated";
import { useRows } from "~/api/hooks";
import { compareIds } from "~/components/compareIds";
import { failureText } from "~/components/failureText";
import { marksText } from "~/components/marks";
import { useOpenTask } from "~/components/navigation";
import { TaskStateLabel } from "~/components/StateLabel";
import { isWorthALook } from "./isWorthALook";
import { OverviewSection } from "./OverviewSection";

/** More tasks than these are only counted. */
const LISTED_MAX = 12;

/** While a run continues, its failed tasks; at its end also those that are skipped or not proved. */
export function TasksToCheck({ row }: { row: RunRow }) {
  const { t } = useTranslation();
  const hasEnded = row.endedAt !== null;
  const tasks = Object.values(useRows(row.id, "task").data ?? {})
    .filter((task) => isWorthALook(task, hasEnded))
    .sort((left, right) => compareIds(left.id, right.id));
  if (tasks.length === 0) return null;
  return (
    <OverviewSection title={t(titleKey(row))}>
      <ul>
        {tasks.slice(0, LISTED_MAX).map((task) => (
          <li key={task.id} className="border-line border-t">
            <TaskToCheck task={task} />
          </li>
        ))}
      </ul>
      {tasks.length > LISTED_MAX && (
        <p className="border-line border-t px-4 py-2 text-soft">
          {t("gate.more", { count: tasks.length - LISTED_MAX })}
        </p>
      )}
    </OverviewSection>
  );
}

function titleKey({ endedAt, tasks }: RunRow): string {
  if (endedAt === null) return "overview.failures";
  return tasks.done === 0 ? "overview.notDone" : "overview.beforeMerge";
}

function TaskToCheck({ task }: { task: TaskRow }) {
  const { t } = useTranslation();
  const open = useOpenTask();
  return (
    <button
      type="button"
      data-task={task.id}
      onClick={() => open(task.id, task.state === "done" ? "changes" : undefined)}
      className="flex w-full gap-2.5 px-4 py-2 text-left outline-offset-[-2px] hover:bg-page max-md:min-h-11"
    >
      <TaskStateLabel task={task} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">
          <code className="font-mono text-soft text-xs">{task.id}</code> {task.title}
        </span>
        <span className="line-clamp-2 text-soft text-xs">{reasonText(t, task)}</span>
      </span>
    </button>
  );
}

/** Why the task is worth a look. */
function reasonText(t: TFunction, task: TaskRow): string {
  if (task.state === "failed" && task.failure) return failureText(task.failure, t);
  const state = task.state === "done" ? "" : t(`state.${task.state}`);
  return [state, marksText(t, task.marks)].filter(Boolean).join(" · ");
}
