import { expect, test } from "vitest";
import type { Layout, OverlapRow, TaskDetailRow, TaskRow } from "~/api/generated";
import {
  nearestTask,
  planHash,
  searchTasks,
  tasksToShowFirst,
  tasksVisibleTogether,
  toEdges,
  toNodes,
  toOverlapEdges,
} from "./toGraph";

const UNFOLDED = { folded: new Set<number>(), toggleFold: () => {} };
const placedTask = (task: string, x: number, y: number) => ({ task, x, y, isCritical: false });
const layout: Layout = {
  width: 600,
  height: 400,
  nodeWidth: 200,
  nodeHeight: 80,
  lanes: [{ phase: 1, title: "Ground", x: 0, y: 0, width: 600, height: 400 }],
  nodes: [
    placedTask("T1", 0, 100),
    placedTask("T2", 300, 0),
    placedTask("T3", 300, 100),
    placedTask("T4", 300, 300),
  ],
  edges: [
    { from: "T1", to: "T2", isCritical: true },
    { from: "T1", to: "T3", isCritical: false },
  ],
};
const taskRow = (id: string, more: Partial<TaskRow> = {}) =>
  ({ id, title: `Title ${id}`, state: "waiting", ...more }) as TaskRow;

test("lanes come before their tasks", () => {
  const nodes = toNodes("r1", layout, { selected: "T2", found: new Set(["T3"]), overlaps: [] }, UNFOLDED);
  expect(nodes.map((node) => node.id)).toEqual(["lane/1", "T1", "T2", "T3", "T4"]);
  // The view cannot move to a node without a size.
  expect(nodes.every((node) => node.type === "lane" || node.measured?.width === layout.nodeWidth)).toBe(true);
  expect(nodes.filter((node) => node.selected).map((node) => node.id)).toEqual(["T2"]);
  expect(nodes.filter((node) => node.type === "task" && node.data.isFound).map((node) => node.id)).toEqual([
    "T3",
  ]);
});

test("the edges of the selected task are highlighted", () => {
  expect(toEdges(layout, null, false).map((edge) => edge.className)).toEqual(["critical", ""]);
  expect(toEdges(layout, "T3", false).map((edge) => edge.className)).toEqual(["critical", "near"]);
});

test("when zoomed out only important edges are shown", () => {
  expect(toEdges(layout, null, true).map((edge) => edge.id)).toEqual(["T1>T2"]);
  expect(toEdges(layout, "T3", true).map((edge) => edge.id)).toEqual(["T1>T2", "T1>T3"]);
});

test("tasks that change the same files are linked between the edges of their cards", () => {
  const overlap = (one: string, other: string): OverlapRow => ({
    tasks: [one, other],
    files: ["till"],
    nFiles: 1,
    sinceAt: 0,
    changedAt: 0,
  });
  const overlaps = [overlap("T2", "T3"), overlap("T1", "T4"), overlap("T1", "T9")];
  const paths = toOverlapEdges(layout, overlaps).map((edge) => edge.data?.path);
  expect(paths).toEqual(["M400 80V100", "M200 140L300 340"]);
  const nodes = toNodes("r1", layout, { selected: null, found: new Set(), overlaps }, UNFOLDED);
  expect(nodes.map((node) => ("overlaps" in node.data ? node.data.overlaps : null))).toEqual([
    null,
    ["T4", "T9"],
    ["T3"],
    ["T2"],
    ["T1"],
  ]);
});

test.each([
  ["T1", "right", "T3"],
  ["T3", "left", "T1"],
  ["T3", "up", "T2"],
  ["T2", "down", "T3"],
  ["T4", "down", undefined],
  ["T9", "down", undefined],
] as const)("the nearest task from %s in the direction %s is %s", (from, direction, to) => {
  expect(nearestTask(layout.nodes, from, direction)).toBe(to);
});

test("a search finds ids, titles, agents and questions, from left to right", () => {
  const tasks = {
    T1: taskRow("T1", { agent: "ada" }),
    T2: taskRow("T2", { question: { id: "q_1", text: "어느 결제 대행사?", korean: null } }),
    T3: taskRow("T3", { title: "Tea menu" }),
  };
  expect(searchTasks(layout.nodes, tasks, "t")).toEqual(["T1", "T2", "T3", "T4"]);
  expect(searchTasks(layout.nodes, tasks, "결제")).toEqual(["T2"]);
  expect(searchTasks(layout.nodes, tasks, "ADA")).toEqual(["T1"]);
  expect(searchTasks(layout.nodes, tasks, " ")).toEqual([]);
});

test("a plan with another dependency has another hash", () => {
  const detail = (id: string, ...dependsOn: string[]) => ({ id, dependsOn }) as unknown as TaskDetailRow;
  const plan = { T1: detail("T1"), T2: detail("T2", "T1") };
  expect(planHash(plan)).toBe(planHash({ ...plan }));
  expect(planHash(plan)).not.toBe(planHash({ T1: detail("T1", "T2"), T2: detail("T2") }));
});

test("tasks in progress are shown first", () => {
  const tasks = [taskRow("T1", { state: "done" }), taskRow("T2", { state: "ready" })];
  expect(tasksToShowFirst(tasks)).toEqual(["T2"]);
  expect(tasksToShowFirst([...tasks, taskRow("T3", { state: "blocked" })])).toEqual(["T3"]);
});

test("the first view shows tasks that fit on the screen together", () => {
  const ids = ["T1", "T2", "T3", "T4"];
  expect(tasksVisibleTogether(layout, ids, 10_000, 10_000)).toEqual(["T1", "T3", "T2", "T4"]);
  expect(tasksVisibleTogether(layout, ids, 500, 200)).toEqual(["T1", "T3", "T2"]);
  expect(tasksVisibleTogether(layout, ids, 100, 100)).toEqual(["T1"]);
  expect(tasksVisibleTogether(layout, [], 500, 500)).toEqual(["T1"]);
});
