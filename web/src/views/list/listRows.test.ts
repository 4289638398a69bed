import { expect, test } from "vitest";
import type { PhaseRow, TaskRow } from "~/api/generated";
import { nextTaskIndex, toListRows } from "./listRows";

const PHASES = Object.fromEntries([10, 2].map((number) => [number, { number } as PhaseRow]));
const TASKS = Object.fromEntries(
  [
    { id: "T2.10", phase: 2, title: "Tea", agent: "ada" },
    { id: "T2.9", phase: 2, title: "Cups", agent: null },
    { id: "T10.1", phase: 10, title: "Bell", agent: "bea" },
  ].map((row) => [row.id, { question: null, ...row } as TaskRow]),
);
const listRows = (search: string) => toListRows(PHASES, TASKS, search);
const listRowKeys = (search: string) => listRows(search).map(({ key }) => key);

test("tasks follow their phase, in the order of their numbers", () => {
  expect(listRowKeys(" ")).toEqual(["phase 2", "T2.9", "T2.10", "phase 10", "T10.1"]);
});

test.each([
  ["t2.1", ["phase 2", "T2.10"]],
  ["BELL", ["phase 10", "T10.1"]],
  ["ada", ["phase 2", "T2.10"]],
  ["nothing of the kind", []],
])("a search for %s shows only %j", (search, left) => {
  expect(listRowKeys(search)).toEqual(left);
});

test.each([
  ["ArrowDown", 1, 2],
  ["ArrowDown", 2, 4],
  ["ArrowUp", 4, 2],
  ["ArrowUp", 1, null],
  ["ArrowDown", 4, null],
  ["ArrowDown", -1, 1],
  ["Home", 4, 1],
  ["End", 1, 4],
  ["j", 1, null],
])("the key %s moves from row %i to the task in row %s", (key, from, to) => {
  expect(nextTaskIndex(listRows(""), from, key)).toBe(to);
});
