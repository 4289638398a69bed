import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { InboxEntry } from "~/api/generated";
import { useRow, useRows } from "~/api/hooks";
import { useOpenTask } from "~/components/navigation";
import { TaskStateLabel } from "~/components/StateLabel";
import { Duration } from "~/components/Time";
import { useFormatDuration } from "~/components/timeFormat";
import { hasUsage, usedCostText, usedTokensText } from "~/components/usage";

/** More tasks than these are only counted. */
const LISTED_MAX = 5;

/** What an item blocks, and what its task has used so far. */
export function EntryFacts({ entry }: { entry: InboxEntry }) {
  const { t } = useTranslation();
  const formatDuration = useFormatDuration();
  const openTask = useOpenTask();
  const task = useRow(entry.run, "task", entry.task);
  const { tasks, timeMs } = entry.blocks;
  if (tasks === 0 && !task?.startedAt) return null;
  return (
    <aside className="flex flex-col gap-4 text-sm">
      {tasks > 0 && (
        <FactSection title={t("inboxItem.blocksTasks", { count: tasks })}>
          <BlockedTasks entry={entry} />
          {timeMs >= 1000 && (
            <p className="text-soft">{t("inboxItem.work", { duration: formatDuration(timeMs) })}</p>
          )}
        </FactSection>
      )}
      {task?.startedAt && (
        <FactSection title={t("needsYou.workSoFar")}>
          <p className="text-soft">
            <Duration from={task.startedAt} to={task.endedAt} />
            {hasUsage(task.used) && ` · ${usedTokensText(t, task.used)} · ${usedCostText(t, task.used)}`}
          </p>
          <p className="flex flex-wrap gap-x-3">
            {(["conversation", "changes"] as const).map((tab) => (
              <button
                key={tab}
                type="button"
                className="rounded text-accent hover:underline max-md:min-h-11"
                onClick={() => openTask(task.id, tab, entry.run)}
              >
                {t(`taskTab.${tab}`)}
              </button>
            ))}
          </p>
        </FactSection>
      )}
    </aside>
  );
}

function FactSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-semibold text-soft text-xs">{title}</h3>
      {children}
    </section>
  );
}

/** The tasks that depend on the item's own task. */
function BlockedTasks({ entry }: { entry: InboxEntry }) {
  const openTask = useOpenTask();
  const details = useRows(entry.run, "taskDetail", entry.task !== null).data ?? {};
  const tasks = useRows(entry.run, "task", entry.task !== null).data ?? {};
  if (entry.task === null) return null;
  const blocked = Object.values(details)
    .filter(({ dependsOn }) => entry.task !== null && dependsOn.includes(entry.task))
    .flatMap(({ id }) => tasks[id] ?? [])
    .slice(0, LISTED_MAX);
  return blocked.map((task) => (
    <button
      key={task.id}
      type="button"
      onClick={() => openTask(task.id, undefined, entry.run)}
      className="flex min-w-0 items-baseline gap-1.5 rounded text-left hover:underline max-md:min-h-11 max-md:items-center"
    >
      <TaskStateLabel task={task} />
      <span className="min-w-0 truncate">
        <code className="font-mono text-soft text-xs">{task.id}</code> {task.title}
      </span>
    </button>
  ));
}
