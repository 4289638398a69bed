/** Every address of the page. The parts behind them are loaded when they are first shown. */

import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { lazily } from "~/components/lazily";
import { NotFound } from "~/components/NotFound";
import { Problem } from "~/components/Problem";
import { isTaskTab, type TaskTab } from "~/components/taskTabs";
import { Shell } from "./Shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Problem });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazily(() => import("~/views/runs/Home")),
});

const newRun = createRoute({
  getParentRoute: () => root,
  path: "/new",
  component: lazily(() => import("~/views/new/NewRun")),
});

/** The view that a task's panel lies over, and the tab that is open in it. */
export type RunSearch = { tab?: TaskTab; over?: string };

function toRunSearch(search: Record<string, unknown>): RunSearch {
  const { tab, over } = search;
  return {
    ...(typeof tab === "string" && isTaskTab(tab) && { tab }),
    ...(typeof over === "string" && { over }),
  };
}

// The page of a run stays while its views and panels change, so that a panel closes onto the view it was opened from.
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run",
  validateSearch: toRunSearch,
  component: lazily(() => import("~/app/run/RunPage")),
});
const runHome = createRoute({ getParentRoute: () => run, path: "/" });
const runView = createRoute({ getParentRoute: () => run, path: "/$view" });
const runTask = createRoute({ getParentRoute: () => run, path: "/tasks/$task" });
const runSession = createRoute({ getParentRoute: () => run, path: "/sessions/$session" });

export const router = createRouter({
  routeTree: root.addChildren([home, newRun, run.addChildren([runHome, runView, runTask, runSession])]),
  defaultPreload: "intent",
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
