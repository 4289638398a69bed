import { Link, useSearch } from "@tanstack/react-router";
import { CalendarClock, Kanban, List, type LucideIcon, Workflow } from "lucide-react";
import { type ComponentType, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ErrorBoundary } from "~/components/ErrorBoundary";
import { Loading } from "~/components/Loading";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { WORK_VIEWS, type WorkView } from "~/components/places";

const VIEWS: Record<WorkView, { icon: LucideIcon; Component: ComponentType<{ run: string }> }> = {
  list: { icon: List, Component: lazyWithRetry(() => import("~/views/list/TaskList")) },
  board: { icon: Kanban, Component: lazyWithRetry(() => import("~/views/board/Board")) },
  graph: { icon: Workflow, Component: lazyWithRetry(() => import("~/views/canvas/Canvas")) },
  schedule: {
    icon: CalendarClock,
    Component: lazyWithRetry(() => import("~/views/schedule/ScheduleView")),
  },
};

/** The tasks of a run as a list, a board, a graph or a schedule. */
export default function Work({ run }: { run: string }) {
  const { t } = useTranslation();
  const { view = "list" } = useSearch({ strict: false });
  const { Component } = VIEWS[view];
  return (
    <div className="flex h-full flex-col">
      <nav aria-label={t("work.views")} className="flex shrink-0 gap-1 px-4 pt-3">
        {WORK_VIEWS.map((id) => {
          const { icon: Icon } = VIEWS[id];
          return (
            <Link
              key={id}
              data-view={id}
              to="/runs/$run/$place"
              params={{ run, place: "work" }}
              search={(search) => ({ ...search, view: id })}
              aria-current={view === id ? "page" : undefined}
              className="inline-flex min-h-8 items-center gap-1.5 whitespace-nowrap rounded-lg border border-line px-2.5 font-medium text-soft hover:text-ink aria-[current]:bg-panel aria-[current]:text-ink aria-[current]:shadow-sm max-md:min-h-11"
            >
              <Icon aria-hidden size={15} />
              {t(`view.${id}`)}
            </Link>
          );
        })}
      </nav>
      <div className="min-h-0 flex-1 overflow-auto">
        <ErrorBoundary of={view}>
          <Suspense fallback={<Loading />}>
            <Component run={run} />
          </Suspense>
        </ErrorBoundary>
      </div>
    </div>
  );
}
