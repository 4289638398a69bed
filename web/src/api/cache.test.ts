import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { applyRowChanges, queryKeys, toSortedInbox } from "./cache";
import type { InboxEntry, RowChange, Severity } from "./generated";

const rowChange = (kind: string, key: string, row: unknown): RowChange => ({
  run: "r1",
  sequence: 1,
  kind,
  key,
  row,
});

test("a change is stored under its kind and key, and a deleted row is removed", () => {
  const cache = new QueryClient();
  cache.setQueryData(queryKeys.rows("r1", "task"), { "T1.1": { id: "T1.1" }, "T1.2": { id: "T1.2" } });
  applyRowChanges(cache, [
    rowChange("task", "T1.1", { id: "T1.1", state: "running" }),
    rowChange("task", "T1.2", null),
    rowChange("task", "T1.1", { id: "T1.1", state: "done" }),
  ]);
  expect(cache.getQueryData(queryKeys.rows("r1", "task"))).toEqual({ "T1.1": { id: "T1.1", state: "done" } });
});

test("rows of tables that are not cached are dropped, and other runs are unchanged", () => {
  const cache = new QueryClient();
  const other = { "T9.9": { id: "T9.9" } };
  cache.setQueryData(queryKeys.rows("r2", "task"), other);
  applyRowChanges(cache, [
    rowChange("task", "T1.1", {}),
    rowChange("turn", "T1.1/0", {}),
    rowChange("news", "x", {}),
  ]);
  expect(cache.getQueryData(queryKeys.rows("r1", "task"))).toBeUndefined();
  expect(cache.getQueryData(queryKeys.rows("r2", "task"))).toBe(other);
});

test("a turn is added to the conversation of its task only", () => {
  const cache = new QueryClient();
  cache.setQueryData(queryKeys.turns("r1", "T1.1"), {});
  cache.setQueryData(queryKeys.turns("r1", "T1"), {});
  applyRowChanges(cache, [rowChange("turn", "T1.1/0000000000", { text: "hello" })]);
  expect(cache.getQueryData(queryKeys.turns("r1", "T1.1"))).toEqual({ "T1.1/0000000000": { text: "hello" } });
  expect(cache.getQueryData(queryKeys.turns("r1", "T1"))).toEqual({});
  applyRowChanges(cache, [rowChange("turn", "T1.1/0000000000", null)]);
  expect(cache.getQueryData(queryKeys.turns("r1", "T1.1"))).toEqual({});
});

test("a run's rows update the list of runs and the common inbox", () => {
  const cache = new QueryClient();
  cache.setQueryData(queryKeys.runs, {});
  cache.setQueryData(queryKeys.inbox, {});
  applyRowChanges(cache, [
    rowChange("run", "run", { id: "r1" }),
    rowChange("inbox", "q_1", { text: "Which?" }),
  ]);
  expect(cache.getQueryData(queryKeys.runs)).toEqual({ r1: { id: "r1" } });
  expect(cache.getQueryData(queryKeys.inbox)).toEqual({ "r1/q_1": { run: "r1", text: "Which?" } });
  applyRowChanges(cache, [rowChange("inbox", "q_1", null)]);
  expect(cache.getQueryData(queryKeys.inbox)).toEqual({});
});

test("the inbox is sorted by severity, then blocked time, then blocked tasks, then age", () => {
  const entry = (
    id: string,
    timeMs: number,
    tasks: number,
    sinceAt: number,
    severity: Severity | null = null,
  ) =>
    ({
      run: "r1",
      item: { type: "question", id },
      blocks: { timeMs, tasks },
      sinceAt,
      severity,
    }) as InboxEntry;
  const rows = [
    entry("a", 0, 1, 5),
    entry("b", 9, 0, 9),
    entry("c", 0, 3, 9, "medium"),
    entry("d", 0, 1, 2),
    entry("e", 0, 0, 9, "high"),
    entry("f", 0, 0, 9, "critical"),
  ];
  const sorted = toSortedInbox(Object.fromEntries(rows.map((row) => [row.item.id, row])));
  expect(sorted.map((row) => row.item.id)).toEqual(["f", "e", "b", "c", "d", "a"]);
});

test("a turn of a session without a task is added to the conversation of the session", () => {
  const cache = new QueryClient();
  cache.setQueryData(queryKeys.turns("r1", "s_3"), {});
  cache.setQueryData(queryKeys.turns("r1", "T1"), {});
  applyRowChanges(cache, [rowChange("turn", "s_3/0000000000", { text: "hello" })]);
  expect(cache.getQueryData(queryKeys.turns("r1", "s_3"))).toEqual({ "s_3/0000000000": { text: "hello" } });
  expect(cache.getQueryData(queryKeys.turns("r1", "T1"))).toEqual({});
});
