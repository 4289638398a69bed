import { expect, test } from "vitest";
import type { TaskBlocker, TaskRow } from "~/api/generated";
import { toBoard, toPrioritySections } from "./toBoard";

const taskRow = (id: string, state: TaskRow["state"], more: Partial<TaskRow> = {}): TaskRow =>
  ({ id, state, phase: 1, priority: "normal", stateSinceAt: 0, blocked: [], ...more }) as unknown as TaskRow;
const asks = {
  reason: { type: "question", question: "q_1" },
  on: { type: "person" },
  sinceAt: 0,
} as TaskBlocker;
const limited = {
  reason: { type: "rateLimited", until: 9 },
  on: { type: "clock", until: 9 },
  sinceAt: 0,
} as TaskBlocker;

function boardTaskIds(...tasks: TaskRow[]): Record<string, string[]> {
  const columns = toBoard(Object.fromEntries(tasks.map((task) => [task.id, task])));
  return Object.fromEntries(columns.map(({ id, tasks }) => [id, tasks.map((task) => task.id)]));
}

test("every state has a column, and tasks that wait for a person come first", () => {
  const shown = boardTaskIds(
    taskRow("T1", "done"),
    taskRow("T2", "blocked", { blocked: [limited] }),
    taskRow("T3", "blocked", { blocked: [limited, asks] }),
    taskRow("T4", "merging"),
    taskRow("T5", "skipped"),
  );
  const expected = {
    needsAnswer: ["T3"],
    waiting: [],
    ready: [],
    running: [],
    checking: ["T4"],
    blocked: ["T2"],
    done: ["T1"],
    notDone: ["T5"],
  };
  expect(shown).toEqual(expected);
  expect(Object.keys(shown)[0]).toBe("needsAnswer");
});

test("open tasks are sorted by priority, then by plan; done tasks, latest first", () => {
  const shown = boardTaskIds(
    taskRow("T10", "ready"),
    taskRow("T2", "ready"),
    taskRow("T3", "ready", { priority: "critical" }),
    taskRow("T4", "done", { stateSinceAt: 1 }),
    taskRow("T5", "done", { stateSinceAt: 2 }),
  );
  expect(shown["ready"]).toEqual(["T3", "T2", "T10"]);
  expect(shown["done"]).toEqual(["T5", "T4"]);
});

test("every priority has a section, even without tasks", () => {
  const sections = toPrioritySections([taskRow("T1", "ready", { priority: "high" })]);
  expect(sections.map(({ priority, tasks }) => [priority, tasks.length])).toEqual([
    ["critical", 0],
    ["high", 1],
    ["normal", 0],
    ["low", 0],
  ]);
});
