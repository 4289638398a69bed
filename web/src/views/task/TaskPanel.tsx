import { Tabs } from "@base-ui/react/tabs";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useRows } from "~/api/hooks";
import { Conversation } from "~/components/conversation/Conversation";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { ErrorMessage } from "~/components/ErrorMessage";
import { PendingItems } from "~/components/inbox/PendingItems";
import { Loading } from "~/components/Loading";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { Notice } from "~/components/Notice";
import { PanelDialog } from "~/components/PanelDialog";
import { TaskStateLabel } from "~/components/StateLabel";
import { TimeAgo } from "~/components/Time";
import { TASK_TABS, type TaskTab } from "~/components/taskTabs";
import { TaskActions } from "./TaskActions";
import { TaskDetails } from "./TaskDetails";

const Brief = lazyWithRetry(() => import("./Brief"));
const Output = lazyWithRetry(() => import("./Output"));
const Events = lazyWithRetry(() => import("./Events"));
const Changes = lazyWithRetry(() => import("./Changes"));
const Checks = lazyWithRetry(() => import("./Checks"));
const Attempts = lazyWithRetry(() => import("./Attempts"));

type Props = { run: string; task: string; tab: TaskTab; onTab: (tab: TaskTab) => void; onClose: () => void };

/** Everything about a task: its open questions above the tabs, and its details beside them. */
export function TaskPanel({ run, task: id, tab, onTab, onClose }: Props) {
  const { t } = useTranslation();
  const rows = useRows(run, "task");
  const task = rows.data?.[id];
  return (
    <PanelDialog
      id={id}
      title={task?.title ?? id}
      onClose={onClose}
      beside={
        task && (
          <>
            <span className="flex items-center gap-1.5 rounded-full bg-page px-2.5 py-0.5 text-sm">
              <TaskStateLabel task={task} named /> <span className="text-soft">·</span>{" "}
              <TimeAgo at={task.stateSinceAt} />
            </span>
            <TaskActions run={run} task={task} />
          </>
        )
      }
    >
      {task && <PendingItems run={run} of={{ task: id }} />}
      {rows.status === "pending" && <Loading />}
      {rows.status === "error" && <ErrorMessage error={rows.error} retry={() => void rows.refetch()} />}
      {rows.status === "success" && !task && (
        <Notice title={t("task.unknown", { task: id })}>
          <p>{t("task.unknownHint")}</p>
        </Notice>
      )}
      {task && (
        <Tabs.Root value={tab} onValueChange={onTab} className="flex min-h-0 flex-1 flex-col">
          <Tabs.List className="flex shrink-0 gap-0.5 overflow-x-auto border-line border-b px-3 pt-1 [scrollbar-width:none]">
            {TASK_TABS.map((name) => (
              <Tabs.Tab
                key={name}
                value={name}
                className="whitespace-nowrap border-transparent border-b-2 px-3 py-2 font-medium text-soft hover:text-ink data-[active]:border-accent data-[active]:text-ink"
              >
                {t(`taskTab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <div className="flex min-h-0 flex-1 max-lg:flex-col">
            <Tabs.Panel
              value={tab}
              className="min-h-0 min-w-0 flex-1 overflow-auto outline-offset-[-2px]"
              tabIndex={0}
            >
              <ErrorBoundary of={tab}>
                <Suspense fallback={<Loading />}>
                  <TabContent tab={tab} run={run} task={id} />
                </Suspense>
              </ErrorBoundary>
            </Tabs.Panel>
            <TaskDetails run={run} task={task} />
          </div>
        </Tabs.Root>
      )}
    </PanelDialog>
  );
}

function TabContent({ tab, ...of }: { tab: TaskTab; run: string; task: string }) {
  switch (tab) {
    case "brief":
      return <Brief {...of} />;
    case "conversation":
      return <Conversation run={of.run} of={of.task} />;
    case "output":
      return <Output {...of} />;
    case "events":
      return <Events {...of} />;
    case "changes":
      return <Changes {...of} />;
    case "checks":
      return <Checks {...of} />;
    case "attempts":
      return <Attempts {...of} />;
  }
}
