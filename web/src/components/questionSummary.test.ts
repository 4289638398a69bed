import { expect, test } from "vitest";
import type { TaskBlocker, TaskRow } from "~/api/generated";
import { blockingInboxKey } from "./questionSummary";

const blocked = (reason: TaskBlocker["reason"], on: TaskBlocker["on"]["type"]) =>
  ({ reason, on: { type: on }, sinceAt: 0 }) as TaskBlocker;
const task = (...reasons: TaskBlocker[]) => ({ state: "blocked" as TaskRow["state"], blocked: reasons });
const input = { type: "question" as const, question: "q_1" };

test.each([
  ["q_1", [blocked(input, "person")]],
  ["d_2", [blocked({ type: "request", request: "d_2" }, "person")]],
  ["e_3", [blocked({ type: "escalated", escalation: "e_3" }, "person")]],
  ["gate/4", [blocked({ type: "approval", phase: 4 }, "person")]],
  ["e_3", [blocked(input, "orchestrator"), blocked({ type: "escalated", escalation: "e_3" }, "person")]],
  ["q_1", [blocked({ type: "paused", by: "person:ana" }, "person"), blocked(input, "person")]],
  [null, [blocked(input, "orchestrator")]],
  [null, [blocked({ type: "paused", by: "person:ana" }, "person")]],
  [null, []],
])("%s is the inbox entry that a person must settle", (key, reasons) => {
  expect(blockingInboxKey(task(...reasons))).toBe(key);
});

test("a running task is blocked by no inbox entry", () => {
  expect(blockingInboxKey({ ...task(blocked(input, "person")), state: "running" })).toBe(null);
});
