import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { useIsPanelOpen } from "~/components/navigation";
import { PanelDialog } from "~/components/PanelDialog";
import { useShortcuts } from "~/components/shortcuts";
import { TaskPanel } from "~/views/task/TaskPanel";
import { InboxAside } from "./InboxAside";
import { RunHeader } from "./RunHeader";
import { RunTabs } from "./RunTabs";
import { findRunView, RUN_VIEWS } from "./runViews";

const SessionPanel = lazyWithRetry(() => import("~/views/session/SessionPanel"));

/** Views that already show the open questions. */
const VIEWS_WITH_INBOX = ["inbox", "chat"];

/** A run: its header, one of its views with the inbox beside it, and the panel of a task or session above. */
export default function RunPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { run = "", view: named, task, session } = useParams({ strict: false });
  const { over, tab } = useSearch({ strict: false });
  const rows = useRows(run, "run");
  const row = useRow(run, "run", "run");
  const view = findRunView(named ?? over);
  const go = (id: string) => void navigate({ to: "/runs/$run/$view", params: { run, view: id } });
  const step = (by: number) => {
    const at = RUN_VIEWS.findIndex(({ id }) => id === view.id);
    const next = RUN_VIEWS[(at + by + RUN_VIEWS.length) % RUN_VIEWS.length];
    if (next) go(next.id);
  };
  useShortcuts({ "]": () => step(1), "[": () => step(-1) }, !useIsPanelOpen());
  useEffect(() => {
    localStorage.setItem("jangdan.run", run);
  }, [run]);
  if (rows.status === "error") return <ErrorMessage error={rows.error} retry={() => void rows.refetch()} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {row ? <RunHeader row={row} /> : <div className="h-[54px] border-line border-b bg-panel" />}
      <div className="flex min-h-0 flex-1">
        <main id="main" aria-label={t(`view.${view.id}`)} className="flex min-h-0 min-w-0 flex-1 flex-col">
          <RunTabs run={run} view={view.id} />
          <div className="min-h-0 flex-1 overflow-auto">
            <ErrorBoundary of={view.id}>
              <Suspense fallback={<Loading />}>
                <view.Component run={run} />
              </Suspense>
            </ErrorBoundary>
          </div>
        </main>
        {!VIEWS_WITH_INBOX.includes(view.id) && <InboxAside run={run} />}
      </div>
      {task && (
        <TaskPanel
          key={task}
          run={run}
          task={task}
          tab={tab ?? "conversation"}
          onTab={(next) =>
            void navigate({
              to: "/runs/$run/tasks/$task",
              params: { run, task },
              search: { over, tab: next },
              replace: true,
            })
          }
          onClose={() => go(view.id)}
        />
      )}
      {session && (
        <ErrorBoundary
          of={session}
          fallback={({ error }, retry) => (
            <PanelDialog id={session} title="" beside={null} onClose={() => go(view.id)}>
              <ErrorMessage error={error} retry={retry} />
            </PanelDialog>
          )}
        >
          <Suspense>
            <SessionPanel key={session} run={run} session={session} onClose={() => go(view.id)} />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  );
}
