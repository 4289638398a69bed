import type { FitViewOptions } from "@xyflow/react";
import { useState } from "react";
import type { Table } from "~/api/cache";
import { keys } from "~/api/cache";
import { cache } from "~/api/client";
import type { Layout } from "~/api/generated";
import { type PlanNode, seenTogether, toBeginWith } from "./toGraph";

/** A plan that is so many times as large as the screen is looked at where something goes on. */
const WHOLE_MAX = 2;
/** What one looks at first can be read. */
const ZOOM_READABLE = 0.6;

/** Where one looks first, found out once: the whole plan where it can be read, else where something goes on. */
export function useFirstLook(
  run: string,
  layout: Layout,
): { fit: FitViewOptions<PlanNode>; task: string | undefined } {
  const [look] = useState(() => {
    const tasks = Object.values(cache.getQueryData<Table<"task">>(keys.rows(run, "task")) ?? {});
    const begin = toBeginWith(tasks);
    const task = begin[0] ?? layout.nodes[0]?.task;
    const isWhole = layout.width <= WHOLE_MAX * innerWidth && layout.height <= WHOLE_MAX * innerHeight;
    const ids = seenTogether(layout, begin, innerWidth / 2 / ZOOM_READABLE, innerHeight / 2 / ZOOM_READABLE);
    const fit: FitViewOptions<PlanNode> = { padding: 0.05, maxZoom: 1, minZoom: 0.3 };
    return {
      fit: isWhole ? fit : { ...fit, minZoom: ZOOM_READABLE, nodes: ids.map((id) => ({ id })) },
      task,
    };
  });
  return look;
}
