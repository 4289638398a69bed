import { expect, test } from "vitest";
import type { RunRow } from "~/api/generated";
import { toSituation } from "./toSituation";

const NO_TASKS = {
  waiting: 0,
  ready: 0,
  running: 0,
  blocked: 0,
  checking: 0,
  merging: 0,
  done: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
};

test.each<[RunRow["status"], Partial<RunRow["tasks"]>, boolean, number, string]>([
  ["running", { blocked: 4 }, true, 4, "waitingForYou"],
  ["running", { running: 1, blocked: 1 }, true, 1, "waitingForYou"],
  // Everything is done but the approval of a phase.
  ["running", { done: 4 }, false, 1, "waitingForYou"],
  ["running", { running: 2, blocked: 1 }, false, 1, "workingAndWaiting"],
  ["running", { checking: 1 }, false, 0, "working"],
  ["running", { merging: 1 }, false, 0, "working"],
  ["running", { waiting: 3, blocked: 1 }, false, 0, "idle"],
  ["paused", { running: 1, blocked: 1 }, true, 1, "paused"],
  ["cancelled", { cancelled: 2 }, false, 1, "cancelled"],
  ["done", { done: 2 }, false, 0, "done"],
])("a run that is %s, with %j, needsUser %s and %i items is %s", (status, tasks, needsUser, n, expected) => {
  expect(toSituation({ status, tasks: { ...NO_TASKS, ...tasks }, needsUser }, n)).toBe(expected);
});
