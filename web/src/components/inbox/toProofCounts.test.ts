import { expect, test } from "vitest";
import type { GateTask, TaskMark } from "~/api/generated";
import { toProofCounts } from "./toProofCounts";

const task = (state: GateTask["state"], ...marks: TaskMark[]): GateTask => ({
  id: "T1.1",
  title: "",
  state,
  marks,
  leftOut: [],
});

test("done tasks are counted by their proof, and others are not counted", () => {
  const tasks = [
    task("done"),
    task("done", "noChanges"),
    task("done", "unchecked", "noChanges"),
    task("done", "waived", "checkFailed"),
    task("skipped"),
    task("failed", "checkFailed"),
  ];
  expect(toProofCounts(tasks)).toEqual({ checked: 2, unchecked: 1, waived: 1 });
});
