import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { cache, rowsQuery } from "~/api/client";
import { useRow, useRows } from "~/api/hooks";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { ErrorMessage } from "~/components/ErrorMessage";
import { Loading } from "~/components/Loading";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { useIsPanelOpen } from "~/components/navigation";
import { PanelDialog } from "~/components/PanelDialog";
import { useShortcuts } from "~/components/shortcuts";
import { TaskPanel } from "~/views/task/TaskPanel";
import { RunHeader } from "./RunHeader";
import { RunTabs } from "./RunTabs";
import { placeBeside, RUN_PLACES, toPlace } from "./runPlaces";

const SessionPanel = lazyWithRetry(() => import("~/views/session/SessionPanel"));

/** The rows of the forms of what needs the user. */
const ANSWERABLE_KINDS = ["question", "request", "gate", "escalation"] as const;

/** A run: its header, one of its places, and the panel of a task or session above. */
export default function RunPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { run = "", place: named, task, session } = useParams({ strict: false });
  const { over, tab } = useSearch({ strict: false });
  const rows = useRows(run, "run");
  const row = useRow(run, "run", "run");
  const place = toPlace(named ?? over);
  const { Component } = RUN_PLACES[place];
  const step = (by: number) =>
    void navigate({ to: "/runs/$run/$place", params: { run, place: placeBeside(place, by) } });
  const closePanel = () =>
    void navigate({
      to: "/runs/$run/$place",
      params: { run, place },
      search: ({ tab: _tab, over: _over, ...search }) => search,
    });
  useShortcuts({ "]": () => step(1), "[": () => step(-1) }, !useIsPanelOpen());
  useEffect(() => {
    localStorage.setItem("jangdan.run", run);
    // The forms of what needs the user are shown without a wait, so that a panel can put the focus into them.
    for (const kind of ANSWERABLE_KINDS) void cache.prefetchQuery(rowsQuery(run, kind));
  }, [run]);
  if (rows.status === "error") {
    return (
      <main id="main" className="min-h-0 flex-1 overflow-y-auto">
        <ErrorMessage isPage error={rows.error} retry={() => void rows.refetch()} />
      </main>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {row ? (
        <RunHeader row={row} place={place} />
      ) : (
        <div className="h-[54px] border-line border-b bg-panel" />
      )}
      <RunTabs run={run} place={place} />
      <main id="main" aria-label={t(`place.${place}`)} className="min-h-0 min-w-0 flex-1 overflow-auto">
        <ErrorBoundary of={place}>
          <Suspense fallback={<Loading />}>
            <Component run={run} />
          </Suspense>
        </ErrorBoundary>
      </main>
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
              search: (search) => ({ ...search, tab: next }),
              replace: true,
            })
          }
          onClose={closePanel}
        />
      )}
      {session && (
        <ErrorBoundary
          of={session}
          fallback={({ error }, retry) => (
            <PanelDialog id={session} title="" beside={null} onClose={closePanel}>
              <ErrorMessage error={error} retry={retry} />
            </PanelDialog>
          )}
        >
          <Suspense>
            <SessionPanel key={session} run={run} session={session} onClose={closePanel} />
          </Suspense>
        </ErrorBoundary>
      )}
    </div>
  );
}
