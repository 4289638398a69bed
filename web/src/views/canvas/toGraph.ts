/** From the server's picture of a plan to what React Flow draws, and the ways through it. */

import { type Edge, type Node, Position } from "@xyflow/react";
import type { Layout, Link, OverlapRow, PlacedTask, TaskDetailRow, TaskRow } from "~/api/generated";
import { isFound } from "~/components/found";

export type TaskNode = Node<
  { run: string; isCritical: boolean; isFound: boolean; overlaps: string[] },
  "task"
>;
export type LaneNode = Node<{ run: string; phase: number; title: string; isLast: boolean }, "lane">;
export type PlanNode = TaskNode | LaneNode;

/** What is looked at: the chosen task, those that a search found, and those that change the same files. */
export type Looked = { chosen: string | null; found: ReadonlySet<string>; overlaps: readonly OverlapRow[] };

export function toNodes(run: string, layout: Layout, { chosen, found, overlaps }: Looked): PlanNode[] {
  const lanes = layout.lanes.map(
    (lane): LaneNode => ({
      id: `lane/${lane.phase}`,
      type: "lane",
      position: { x: lane.x, y: lane.y },
      width: lane.width,
      height: lane.height,
      data: {
        run,
        phase: lane.phase,
        title: lane.title,
        isLast: lane.y + lane.height >= layout.height,
      },
      zIndex: -1,
      selectable: false,
      focusable: false,
      style: { pointerEvents: "none" },
    }),
  );
  const { nodeWidth: width, nodeHeight: height } = layout;
  // Said beforehand, so that nothing has to be measured before the edges can be drawn.
  const handle = { y: height / 2, width: 1, height: 1 };
  const handles = [
    { ...handle, type: "target" as const, position: Position.Left, x: 0 },
    { ...handle, type: "source" as const, position: Position.Right, x: width },
  ];
  const tasks = layout.nodes.map(
    (node): TaskNode => ({
      id: node.task,
      type: "task",
      position: { x: node.x, y: node.y },
      width,
      height,
      // What is out of sight is never measured, and could not be looked for then.
      measured: { width, height },
      handles,
      data: {
        run,
        isCritical: node.isCritical,
        isFound: found.has(node.task),
        overlaps: overlapping(node.task, overlaps),
      },
      selected: node.task === chosen,
    }),
  );
  return [...lanes, ...tasks];
}

/** The tasks that change the same files as a task. */
function overlapping(task: string, overlaps: readonly OverlapRow[]): string[] {
  return overlaps.flatMap(({ tasks: [one, other] }) =>
    one === task ? [other] : other === task ? [one] : [],
  );
}

export type OverlapEdge = Edge<{ path: string; files: string[]; nFiles: number }, "overlap">;

/** Links between tasks that change the same files, from border to border. */
export function toOverlapEdges(layout: Layout, overlaps: readonly OverlapRow[]): OverlapEdge[] {
  const places = new Map(layout.nodes.map((node) => [node.task, node]));
  return overlaps.flatMap(({ tasks: [one, other], files, nFiles }) => {
    const [from, to] = [places.get(one), places.get(other)];
    if (!from || !to) return [];
    const path = overlapPath(layout, from, to);
    const data = { path, files, nFiles };
    return [
      {
        id: `${one}!${other}`,
        type: "overlap",
        source: one,
        target: other,
        className: "overlap",
        zIndex: 2,
        data,
      },
    ];
  });
}

function overlapPath({ nodeWidth, nodeHeight }: Layout, one: PlacedTask, other: PlacedTask): string {
  if (one.x === other.x) {
    const [upper, lower] = one.y < other.y ? [one, other] : [other, one];
    const x = upper.x + nodeWidth / 2;
    return `M${x} ${upper.y + nodeHeight}V${lower.y}`;
  }
  const [left, right] = one.x < other.x ? [one, other] : [other, one];
  const y = nodeHeight / 2;
  return `M${left.x + nodeWidth} ${left.y + y}L${right.x} ${right.y + y}`;
}

/** The edges; from far away only those on the longest way and those of the chosen task. */
export function toEdges({ edges }: Layout, chosen: string | null, isFar: boolean): Edge[] {
  const isNearTo = (edge: Link) => edge.from === chosen || edge.to === chosen;
  const shown = isFar ? edges.filter((edge) => edge.isCritical || isNearTo(edge)) : edges;
  return shown.map((edge) => {
    const { from, to, isCritical } = edge;
    const isNear = isNearTo(edge);
    return {
      id: `${from}>${to}`,
      source: from,
      target: to,
      className: isNear ? "near" : isCritical ? "critical" : "",
      zIndex: isNear ? 1 : 0,
      focusable: false,
    };
  });
}

export type Direction = "left" | "right" | "up" | "down";

/** The task that is nearest in a direction; where there is none, nothing. */
export function nearest(
  nodes: readonly PlacedTask[],
  from: string,
  direction: Direction,
): string | undefined {
  const at = nodes.find((node) => node.task === from);
  if (!at) return undefined;
  const isSideways = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  let best: { task: string; cost: number } | undefined;
  for (const node of nodes) {
    const [ahead, aside] = isSideways ? [node.x - at.x, node.y - at.y] : [node.y - at.y, node.x - at.x];
    if (ahead * sign <= 0) continue;
    // What is straight ahead is nearer than what is closer but aside.
    const cost = ahead * sign + 3 * Math.abs(aside);
    if (!best || cost < best.cost) best = { task: node.task, cost };
  }
  return best?.task;
}

/** The tasks that a search means, in the picture's order. */
export function matches(
  nodes: readonly PlacedTask[],
  tasks: Readonly<Record<string, TaskRow>>,
  search: string,
): string[] {
  const found = nodes.filter(({ task }) => isFound(task, tasks[task], search));
  return found.sort((left, right) => left.x - right.x || left.y - right.y).map((node) => node.task);
}

/** Names a plan by who waits for whom, so that a change of it is seen. */
export function planName(details: Readonly<Record<string, TaskDetailRow>>): string {
  let hash = 0;
  let n = 0;
  for (const [id, { dependsOn }] of Object.entries(details)) {
    n += 1;
    for (const word of [id, ...dependsOn]) {
      for (let at = 0; at < word.length; at += 1) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0;
      hash = (Math.imul(hash, 31) + 1) | 0;
    }
  }
  return `${n}/${hash}`;
}

/** The tasks to begin with: what goes on or waits for somebody, else what is next, else all. */
export function toBeginWith(tasks: readonly TaskRow[]): string[] {
  const inState = (...states: TaskRow["state"][]) => tasks.filter((task) => states.includes(task.state));
  const now = inState("running", "blocked", "checking", "merging");
  return (now.length > 0 ? now : inState("ready")).map((task) => task.id);
}

/**
 * Those of some tasks that can be seen together with the first of them: where work goes on all over a large plan, its
 * middle may have none.
 */
export function seenTogether(
  layout: Layout,
  ids: readonly string[],
  width: number,
  height: number,
): string[] {
  const wanted = new Set(ids);
  const placed = layout.nodes.filter((node) => wanted.has(node.task));
  const first = placed.find((node) => node.task === ids[0]);
  if (!first) return layout.nodes.slice(0, 1).map((node) => node.task);
  const far = { left: first.x, right: first.x, top: first.y, bottom: first.y };
  const together: string[] = [];
  const distance = (node: PlacedTask) => Math.abs(node.x - first.x) + Math.abs(node.y - first.y);
  for (const node of placed.sort((one, other) => distance(one) - distance(other))) {
    const [left, right] = [Math.min(far.left, node.x), Math.max(far.right, node.x)];
    const [top, bottom] = [Math.min(far.top, node.y), Math.max(far.bottom, node.y)];
    const isIn = right - left + layout.nodeWidth <= width && bottom - top + layout.nodeHeight <= height;
    if (!isIn && node !== first) continue;
    Object.assign(far, { left, right, top, bottom });
    together.push(node.task);
  }
  return together;
}
