import type { FitViewOptions } from "@xyflow/react";
import { useState } from "react";
import type { RowsByKey } from "~/api/cache";
import { queryKeys } from "~/api/cache";
import { cache } from "~/api/client";
import type { Layout } from "~/api/generated";
import { type PlanNode, tasksToShowFirst, tasksVisibleTogether } from "./toGraph";

/** A plan up to this many times the size of the screen is shown as a whole. */
const FIT_ALL_MAX = 1.6;
const ZOOM_READABLE = 0.6;

/** The view to start with, computed once: the whole plan if it is readable, else the tasks in progress. */
export function useInitialView(
  run: string,
  layout: Layout,
): { fit: FitViewOptions<PlanNode>; task: string | undefined } {
  const [view] = useState(() => {
    const tasks = Object.values(cache.getQueryData<RowsByKey<"task">>(queryKeys.rows(run, "task")) ?? {});
    const shownFirst = tasksToShowFirst(tasks);
    const task = shownFirst[0] ?? layout.nodes[0]?.task;
    const fitsAll = layout.width <= FIT_ALL_MAX * innerWidth && layout.height <= FIT_ALL_MAX * innerHeight;
    const ids = tasksVisibleTogether(
      layout,
      shownFirst,
      innerWidth / 2 / ZOOM_READABLE,
      innerHeight / 2 / ZOOM_READABLE,
    );
    const fit: FitViewOptions<PlanNode> = { padding: 0.05, maxZoom: 1, minZoom: 0.3 };
    return {
      fit: fitsAll ? fit : { ...fit, minZoom: ZOOM_READABLE, nodes: ids.map((id) => ({ id })) },
      task,
    };
  });
  return view;
}
