/** Converts the server's layout of a plan to nodes and edges, and finds the way through it by keys and search. */

import { type Edge, type Node, Position } from "@xyflow/react";
import type { Layout, Link, OverlapRow, PlacedTask, TaskDetailRow, TaskRow } from "~/api/generated";
import { taskMatchesSearch } from "~/components/taskMatchesSearch";

export type TaskNode = Node<
  { run: string; isCritical: boolean; isFound: boolean; overlaps: string[] },
  "task"
>;
export type LaneNode = Node<
  {
    run: string;
    phase: number;
    title: string;
    isLast: boolean;
    isFolded: boolean;
    onToggle: (phase: number) => void;
  },
  "lane"
>;
export type PlanNode = TaskNode | LaneNode;

/** Tasks with a mark: the selected one, those that a search found, and those that change the same files. */
export type MarkedTasks = {
  selected: string | null;
  found: ReadonlySet<string>;
  overlaps: readonly OverlapRow[];
};

/** The folded phases, and how to fold or unfold one. */
export type PhaseFolding = { folded: ReadonlySet<number>; toggleFold: (phase: number) => void };

export function toNodes(
  run: string,
  layout: Layout,
  { selected, found, overlaps }: MarkedTasks,
  { folded, toggleFold }: PhaseFolding,
): PlanNode[] {
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
        isFolded: folded.has(lane.phase),
        onToggle: toggleFold,
      },
      zIndex: -1,
      selectable: false,
      focusable: false,
      style: { pointerEvents: "none" },
    }),
  );
  const { nodeWidth: width, nodeHeight: height } = layout;
  // Given in advance, so that edges can be drawn without measuring nodes.
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
      // Nodes that are not visible are never measured, and the view could not move to them.
      measured: { width, height },
      handles,
      data: {
        run,
        isCritical: node.isCritical,
        isFound: found.has(node.task),
        overlaps: overlappingTasks(node.task, overlaps),
      },
      selected: node.task === selected,
    }),
  );
  return [...lanes, ...tasks];
}

function overlappingTasks(task: string, overlaps: readonly OverlapRow[]): string[] {
  return overlaps.flatMap(({ tasks: [one, other] }) =>
    one === task ? [other] : other === task ? [one] : [],
  );
}

export type OverlapEdge = Edge<{ path: string; files: string[]; nFiles: number }, "overlap">;

/** Links between tasks that change the same files, from edge to edge of their cards. */
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

/** The edges; when zoomed out, only those of the critical path and of the selected task. */
export function toEdges({ edges }: Layout, selected: string | null, isFar: boolean): Edge[] {
  const isOfSelected = (edge: Link) => edge.from === selected || edge.to === selected;
  const shown = isFar ? edges.filter((edge) => edge.isCritical || isOfSelected(edge)) : edges;
  return shown.map((edge) => {
    const { from, to, isCritical } = edge;
    const isNear = isOfSelected(edge);
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

/** The nearest task in a direction, if any. */
export function nearestTask(
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
    // A task straight ahead is preferred to a closer one to the side.
    const cost = ahead * sign + 3 * Math.abs(aside);
    if (!best || cost < best.cost) best = { task: node.task, cost };
  }
  return best?.task;
}

/** The tasks that match a search, in the order of the layout. */
export function searchTasks(
  nodes: readonly PlacedTask[],
  tasks: Readonly<Record<string, TaskRow>>,
  search: string,
): string[] {
  const found = nodes.filter(({ task }) => taskMatchesSearch(task, tasks[task], search));
  return found.sort((left, right) => left.x - right.x || left.y - right.y).map((node) => node.task);
}

/** A hash of the tasks and dependencies of a plan, to detect changes. */
export function planHash(details: Readonly<Record<string, TaskDetailRow>>): string {
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

/** The ids of the tasks in progress, or of the ready ones if none is. */
export function tasksToShowFirst(tasks: readonly TaskRow[]): string[] {
  const inState = (...states: TaskRow["state"][]) => tasks.filter((task) => states.includes(task.state));
  const now = inState("running", "blocked", "checking", "merging");
  return (now.length > 0 ? now : inState("ready")).map((task) => task.id);
}

/**
 * The tasks among `ids` that fit on the screen together with the first one. The center of all of them could be an empty
 * part of a large plan.
 */
export function tasksVisibleTogether(
  layout: Layout,
  ids: readonly string[],
  width: number,
  height: number,
): string[] {
  const idSet = new Set(ids);
  const placed = layout.nodes.filter((node) => idSet.has(node.task));
  const first = placed.find((node) => node.task === ids[0]);
  if (!first) return layout.nodes.slice(0, 1).map((node) => node.task);
  const bounds = { left: first.x, right: first.x, top: first.y, bottom: first.y };
  const together: string[] = [];
  const distance = (node: PlacedTask) => Math.abs(node.x - first.x) + Math.abs(node.y - first.y);
  for (const node of placed.sort((one, other) => distance(one) - distance(other))) {
    const [left, right] = [Math.min(bounds.left, node.x), Math.max(bounds.right, node.x)];
    const [top, bottom] = [Math.min(bounds.top, node.y), Math.max(bounds.bottom, node.y)];
    const fits = right - left + layout.nodeWidth <= width && bottom - top + layout.nodeHeight <= height;
    if (!fits && node !== first) continue;
    Object.assign(bounds, { left, right, top, bottom });
    together.push(node.task);
  }
  return together;
}
