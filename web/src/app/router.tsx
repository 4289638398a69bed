/** The routes of the page. Their components are loaded on first use. */

import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { ErrorMessage } from "~/components/ErrorMessage";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { NotFound } from "~/components/NotFound";
import { toNeedsYouSearch, toRunSearch } from "~/components/navigation";
import { movedPlace } from "~/components/places";
import { AppShell } from "./AppShell";

const root = createRootRoute({
  component: AppShell,
  notFoundComponent: NotFound,
  errorComponent: ErrorMessage,
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyWithRetry(() => import("./Home")),
});

const needsYou = createRoute({
  getParentRoute: () => root,
  path: "/needs-you",
  validateSearch: toNeedsYouSearch,
  component: lazyWithRetry(() => import("./NeedsYouPage")),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  component: lazyWithRetry(() => import("~/views/runs/Runs")),
});

const newRun = createRoute({
  getParentRoute: () => root,
  path: "/new",
  component: lazyWithRetry(() => import("~/views/new/NewRun")),
});

// One component for all addresses of a run, so that closing a panel returns to the place it was opened from.
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$run",
  validateSearch: toRunSearch,
  component: lazyWithRetry(() => import("~/app/run/RunPage")),
});
const runHome = createRoute({ getParentRoute: () => run, path: "/" });
const runPlace = createRoute({
  getParentRoute: () => run,
  path: "/$place",
  beforeLoad: ({ params }) => {
    const moved = movedPlace(params.place);
    if (!moved) return;
    const { place, view } = moved;
    throw redirect({
      to: "/runs/$run/$place",
      params: { run: params.run, place },
      search: (search) => ({ ...search, ...(view && { view }) }),
      replace: true,
    });
  },
});
const runTask = createRoute({ getParentRoute: () => run, path: "/tasks/$task" });
const runSession = createRoute({ getParentRoute: () => run, path: "/sessions/$session" });

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    needsYou,
    runs,
    newRun,
    run.addChildren([runHome, runPlace, runTask, runSession]),
  ]),
  defaultPreload: "intent",
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
