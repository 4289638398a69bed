import { expect, test } from "vitest";
import type { Layout, PhaseRow } from "~/api/generated";
import { phaseOfTask, phasesFoldedFirst, stackPhases } from "./stackPhases";

/** The second phase is beside the end of the first one. */
const layout: Layout = {
  width: 1150,
  height: 300,
  nodeWidth: 200,
  nodeHeight: 76,
  lanes: [
    { phase: 1, title: "Store", x: 0, y: 0, width: 900, height: 200 },
    { phase: 2, title: "API", x: 900, y: 200, width: 250, height: 100 },
  ],
  nodes: [
    { task: "T1.1", x: 20, y: 40, isCritical: true },
    { task: "T1.2", x: 690, y: 40, isCritical: false },
    { task: "T2.1", x: 920, y: 260, isCritical: true },
  ],
  edges: [
    { from: "T1.1", to: "T1.2", isCritical: false },
    { from: "T1.1", to: "T2.1", isCritical: true },
  ],
};
const positions = ({ nodes }: Layout) => nodes.map(({ task, x, y }) => [task, x, y]);

test("each phase begins at the left, below the one before it, without empty columns", () => {
  const stacked = stackPhases(layout, new Set());
  expect(positions(stacked)).toEqual([
    ["T1.1", 20, 52],
    ["T1.2", 292, 52],
    ["T2.1", 20, 200],
  ]);
  expect([stacked.width, stacked.height]).toEqual([512, 296]);
  expect(stacked.edges).toEqual(layout.edges);
});

test("a folded phase is only its title, and edges to its tasks are left out", () => {
  const stacked = stackPhases(layout, new Set([1]));
  expect(positions(stacked)).toEqual([["T2.1", 20, 104]]);
  expect(stacked.lanes.map(({ y, height }) => [y, height])).toEqual([
    [0, 52],
    [52, 148],
  ]);
  expect(stacked.edges).toEqual([]);
});

test("the phase of a task is known while it is folded", () => {
  expect(phaseOfTask(layout, "T1.2")).toBe(1);
  expect(phaseOfTask(layout, "T2.1")).toBe(2);
  expect(phaseOfTask(layout, "T9.9")).toBeUndefined();
});

const phase = (number: number, state: PhaseRow["state"], nTasks = 10) =>
  ({ number, state, nTasks }) as PhaseRow;
const foldedFirst = (...rows: PhaseRow[]) => [
  ...phasesFoldedFirst(Object.fromEntries(rows.map((row) => [row.number, row]))),
];

test("finished phases are folded at first, but not in a run that is done", () => {
  expect(foldedFirst(phase(1, "landed"), phase(2, "running"), phase(3, "waiting"))).toEqual([1]);
  expect(foldedFirst(phase(1, "landed"), phase(2, "approved"))).toEqual([]);
});

test("in a large plan phases that have not started are folded, but one is always open", () => {
  expect(foldedFirst(phase(1, "landed", 500), phase(2, "running"), phase(3, "waiting", 500))).toEqual([1, 3]);
  expect(foldedFirst(phase(1, "waiting", 500), phase(2, "waiting", 500))).toEqual([2]);
  expect(foldedFirst(phase(1, "landed", 500), phase(2, "landed", 500))).toEqual([2]);
});
