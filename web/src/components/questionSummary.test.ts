import { expect, test } from "vitest";
import type { TaskBlocker, TaskRow } from "~/api/generated";
import { blockingInboxKey } from "./questionSummary";

const blocker = (reason: TaskBlocker["reason"], on: TaskBlocker["on"]["type"]) =>
  ({ reason, on: { type: on }, sinceAt: 0 }) as TaskBlocker;
const taskBlockedBy = (...reasons: TaskBlocker[]) => ({
  state: "blocked" as TaskRow["state"],
  blocked: reasons,
});
const input = { type: "question" as const, question: "q_1" };

test.each([
  ["q_1", [blocker(input, "person")]],
  ["d_2", [blocker({ type: "request", request: "d_2" }, "person")]],
  ["e_3", [blocker({ type: "escalated", escalation: "e_3" }, "person")]],
  ["gate/4", [blocker({ type: "approval", phase: 4 }, "person")]],
  ["e_3", [blocker(input, "orchestrator"), blocker({ type: "escalated", escalation: "e_3" }, "person")]],
  ["q_1", [blocker({ type: "paused", by: "person:ana" }, "person"), blocker(input, "person")]],
  [null, [blocker(input, "orchestrator")]],
  [null, [blocker({ type: "paused", by: "person:ana" }, "person")]],
  [null, []],
])("%s is the inbox entry that blocks the task", (key, reasons) => {
  expect(blockingInboxKey(taskBlockedBy(...reasons))).toBe(key);
});

test("a running task is blocked by no inbox entry", () => {
  expect(blockingInboxKey({ ...taskBlockedBy(blocker(input, "person")), state: "running" })).toBe(null);
});
