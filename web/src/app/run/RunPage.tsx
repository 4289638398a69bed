import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useRow, useRows } from "~/api/hooks";
import { Boundary } from "~/components/Boundary";
import { useKeys } from "~/components/keys";
import { Loading } from "~/components/Loading";
import { lazily } from "~/components/lazily";
import { usePanelIsOpen } from "~/components/open";
import { Panel } from "~/components/Panel";
import { Problem } from "~/components/Problem";
import { TaskPanel } from "~/views/task/TaskPanel";
import { RunAside } from "./RunAside";
import { RunHeader } from "./RunHeader";
import { RunTabs } from "./RunTabs";
import { RUN_VIEWS, viewNamed } from "./runViews";

const SessionPanel = lazily(() => import("~/views/session/SessionPanel"));

/** The views in which what waits is settled already. */
const SETTLES = ["inbox", "chat"];

/** A run: how it stands, one of its views, what waits beside it, and a task's panel over it. */
export default function RunPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { run = "", view: named, task, session } = useParams({ strict: false });
  const { over, tab } = useSearch({ strict: false });
  const rows = useRows(run, "run");
  const row = useRow(run, "run", "run");
  const view = viewNamed(named ?? over);
  const go = (id: string) => void navigate({ to: "/runs/$run/$view", params: { run, view: id } });
  const step = (by: number) => {
    const at = RUN_VIEWS.findIndex(({ id }) => id === view.id);
    const next = RUN_VIEWS[(at + by + RUN_VIEWS.length) % RUN_VIEWS.length];
    if (next) go(next.id);
  };
  useKeys({ "]": () => step(1), "[": () => step(-1) }, !usePanelIsOpen());
  useEffect(() => {
    localStorage.setItem("jangdan.run", run);
  }, [run]);
  if (rows.status === "error") return <Problem error={rows.error} retry={() => void rows.refetch()} />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {row ? <RunHeader row={row} /> : <div className="h-[54px] border-line border-b bg-panel" />}
      <div className="flex min-h-0 flex-1">
        <main id="main" aria-label={t(`view.${view.id}`)} className="flex min-h-0 min-w-0 flex-1 flex-col">
          <RunTabs run={run} view={view.id} />
          <div className="min-h-0 flex-1 overflow-auto">
            <Boundary of={view.id}>
              <Suspense fallback={<Loading />}>
                <view.Component run={run} />
              </Suspense>
            </Boundary>
          </div>
        </main>
        {!SETTLES.includes(view.id) && <RunAside run={run} />}
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
        <Boundary
          of={session}
          instead={({ error }, retry) => (
            <Panel id={session} title="" beside={null} onClose={() => go(view.id)}>
              <Problem error={error} retry={retry} />
            </Panel>
          )}
        >
          <Suspense>
            <SessionPanel key={session} run={run} session={session} onClose={() => go(view.id)} />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
