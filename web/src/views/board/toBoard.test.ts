import { expect, test } from "vitest";
import type { TaskBlocker, TaskRow } from "~/api/generated";
import { toBoard, toSections } from "./toBoard";

const task = (id: string, state: TaskRow["state"], more: Partial<TaskRow> = {}): TaskRow =>
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

function board(...tasks: TaskRow[]): Record<string, string[]> {
  const columns = toBoard(Object.fromEntries(tasks.map((task) => [task.id, task])));
  return Object.fromEntries(columns.map(({ id, tasks }) => [id, tasks.map((task) => task.id)]));
}

test("every state has a column, and tasks that wait for a person come first", () => {
  const shown = board(
    task("T1", "done"),
    task("T2", "blocked", { blocked: [limited] }),
    task("T3", "blocked", { blocked: [limited, asks] }),
    task("T4", "merging"),
    task("T5", "skipped"),
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
  const shown = board(
    task("T10", "ready"),
    task("T2", "ready"),
    task("T3", "ready", { priority: "critical" }),
    task("T4", "done", { stateSinceAt: 1 }),
    task("T5", "done", { stateSinceAt: 2 }),
  );
  expect(shown["ready"]).toEqual(["T3", "T2", "T10"]);
  expect(shown["done"]).toEqual(["T5", "T4"]);
});

test("every priority has a section, even without tasks", () => {
  const sections = toSections([task("T1", "ready", { priority: "high" })]);
  expect(sections.map(({ priority, tasks }) => [priority, tasks.length])).toEqual([
    ["critical", 0],
    ["high", 1],
    ["normal", 0],
    ["low", 0],
  ]);
});
