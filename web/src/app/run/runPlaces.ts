/** The places of a run, in the order of their tabs. */

import { Activity, Inbox, LayoutDashboard, ListChecks, type LucideIcon, Stamp, Users } from "lucide-react";
import type { ComponentType } from "react";
import { lazyWithRetry } from "~/components/lazyWithRetry";
import { DEFAULT_PLACE, isPlace, PLACES, type PlaceName } from "~/components/places";

type RunPlace = { icon: LucideIcon; Component: ComponentType<{ run: string }> };

export const RUN_PLACES: Record<PlaceName, RunPlace> = {
  "needs-you": { icon: Inbox, Component: lazyWithRetry(() => import("~/views/needs-you/NeedsYouOfRun")) },
  overview: {
    icon: LayoutDashboard,
    Component: lazyWithRetry(() => import("./OverviewPlace")),
  },
  work: { icon: ListChecks, Component: lazyWithRetry(() => import("./Work")) },
  review: { icon: Stamp, Component: lazyWithRetry(() => import("~/views/review/Review")) },
  activity: { icon: Activity, Component: lazyWithRetry(() => import("./ActivityPlace")) },
  team: { icon: Users, Component: lazyWithRetry(() => import("~/views/team/Team")) },
};

/** Returns the place with this name, or the default one. */
export const toPlace = (name: string | undefined): PlaceName =>
  name !== undefined && isPlace(name) ? name : DEFAULT_PLACE;

/** Returns the place that is some tabs away. */
export function placeBeside(place: PlaceName, step: number): PlaceName {
  const at = PLACES.indexOf(place);
  return PLACES[(at + step + PLACES.length) % PLACES.length] ?? DEFAULT_PLACE;
}
