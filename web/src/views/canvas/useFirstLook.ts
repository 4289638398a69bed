import type { FitViewOptions } from "@xyflow/react";
import { useState } from "react";
import type { Table } from "~/api/cache";
import { keys } from "~/api/cache";
import { cache } from "~/api/client";
import type { Layout } from "~/api/generated";
import { type PlanNode, toBeginWith } from "./toGraph";

/** A plan that is so many times as large as the screen is looked at where something goes on. */
const WHOLE_MAX = 2;

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
    const ids = begin.length > 0 ? begin : layout.nodes.slice(0, 1).map((node) => node.task);
    const fit: FitViewOptions<PlanNode> = { padding: 0.05, maxZoom: 1, minZoom: 0.3 };
    return { fit: isWhole ? fit : { ...fit, minZoom: 0.6, nodes: ids.map((id) => ({ id })) }, task };
  });
  return look;
}
