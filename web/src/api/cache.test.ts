import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { applyChanges, keys, toWaiting } from "./cache";
import type { Changed, InboxEntry } from "./generated";

const change = (kind: string, key: string, row: unknown): Changed => ({
  run: "r1",
  sequence: 1,
  kind,
  key,
  row,
});

test("a change is put under its kind and key, and a row that is gone is taken away", () => {
  const cache = new QueryClient();
  cache.setQueryData(keys.rows("r1", "task"), { "T1.1": { id: "T1.1" }, "T1.2": { id: "T1.2" } });
  applyChanges(cache, [
    change("task", "T1.1", { id: "T1.1", state: "running" }),
    change("task", "T1.2", null),
    change("task", "T1.1", { id: "T1.1", state: "done" }),
  ]);
  expect(cache.getQueryData(keys.rows("r1", "task"))).toEqual({ "T1.1": { id: "T1.1", state: "done" } });
});

test("rows that nobody asked for are not kept, and other runs stay as they are", () => {
  const cache = new QueryClient();
  const other = { "T9.9": { id: "T9.9" } };
  cache.setQueryData(keys.rows("r2", "task"), other);
  applyChanges(cache, [change("task", "T1.1", {}), change("turn", "T1.1/0", {}), change("news", "x", {})]);
  expect(cache.getQueryData(keys.rows("r1", "task"))).toBeUndefined();
  expect(cache.getQueryData(keys.rows("r2", "task"))).toBe(other);
});

test("a turn goes to the conversation of its task, and to no other", () => {
  const cache = new QueryClient();
  cache.setQueryData(keys.turns("r1", "T1.1"), {});
  cache.setQueryData(keys.turns("r1", "T1"), {});
  applyChanges(cache, [change("turn", "T1.1/0000000000", { text: "hello" })]);
  expect(cache.getQueryData(keys.turns("r1", "T1.1"))).toEqual({ "T1.1/0000000000": { text: "hello" } });
  expect(cache.getQueryData(keys.turns("r1", "T1"))).toEqual({});
  applyChanges(cache, [change("turn", "T1.1/0000000000", null)]);
  expect(cache.getQueryData(keys.turns("r1", "T1.1"))).toEqual({});
});

test("runs and the inbox of all runs follow the rows of each run", () => {
  const cache = new QueryClient();
  cache.setQueryData(keys.runs, {});
  cache.setQueryData(keys.inbox, {});
  applyChanges(cache, [change("run", "run", { id: "r1" }), change("inbox", "q_1", { text: "Which?" })]);
  expect(cache.getQueryData(keys.runs)).toEqual({ r1: { id: "r1" } });
  expect(cache.getQueryData(keys.inbox)).toEqual({ "r1/q_1": { run: "r1", text: "Which?" } });
  applyChanges(cache, [change("inbox", "q_1", null)]);
  expect(cache.getQueryData(keys.inbox)).toEqual({});
});

test("what holds up most time is first, then most tasks, then what waits longest", () => {
  const waiting = (id: string, timeMs: number, tasks: number, sinceAt: number) =>
    ({ run: "r1", item: { type: "question", id }, holdsUp: { timeMs, tasks }, sinceAt }) as InboxEntry;
  const rows = [waiting("a", 0, 1, 5), waiting("b", 9, 0, 9), waiting("c", 0, 3, 9), waiting("d", 0, 1, 2)];
  const sorted = toWaiting(Object.fromEntries(rows.map((row) => [row.item.id, row])));
  expect(sorted.map((row) => row.item.id)).toEqual(["b", "c", "d", "a"]);
});
