/** The routes of the page. Their components are loaded on first use. */

import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { ErrorMessage } from "~/components/ErrorMessage";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { NotFound } from "~/components/NotFound";
import { isTaskTab, type TaskTab } from "~/components/taskTabs";
import { AppShell } from "./AppShell";

const root = createRootRoute({
  component: AppShell,
  notFoundComponent: NotFound,
  errorComponent: ErrorMessage,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyWithRetry(() => import("~/views/runs/Home")),
});

const newRun = createRoute({
  getParentRoute: () => root,
  path: "/new",
  component: lazyWithRetry(() => import("~/views/new/NewRun")),
});

/** `over` is the view behind a panel, `tab` the open tab of a task's panel. */
export type RunSearchParams = { tab?: TaskTab; over?: string };

function toRunSearchParams(search: Record<string, unknown>): RunSearchParams {
  const { tab, over } = search;
  return {
    ...(typeof tab === "string" && isTaskTab(tab) && { tab }),
    ...(typeof over === "string" && { over }),
  };
}

// One component for all addresses of a run, so that closing a panel returns to the view it was opened from.
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run",
  validateSearch: toRunSearchParams,
  component: lazyWithRetry(() => import("~/app/run/RunPage")),
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
