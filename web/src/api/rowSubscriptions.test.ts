import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { RowSubscriptions } from "./rowSubscriptions";

const queryKey = ["rows", "r1", "task"];

function clientWithRows(rows: Record<string, unknown>): QueryClient {
  const client = new QueryClient({ defaultOptions: { queries: { structuralSharing: false } } });
  client.setQueryData(queryKey, rows);
  return client;
}

test("a listener is called only when its own row changes", () => {
  const [one, two] = [{ id: "T1" }, { id: "T2" }];
  const cache = clientWithRows({ T1: one, T2: two });
  const rows = new RowSubscriptions(cache, queryKey);
  const [first, second] = [vi.fn(), vi.fn()];
  const unsubscribe = rows.subscribe("T1", first);
  rows.subscribe("T2", second);
  cache.setQueryData(queryKey, { T1: one, T2: { id: "T2", state: "done" } });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  expect(rows.get("T2")).toEqual({ id: "T2", state: "done" });
  unsubscribe();
  cache.setQueryData(queryKey, { T2: two });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 2]);
  expect(rows.get("T1")).toBeUndefined();
});

test("other tables call no listener, and a row is current without listeners", () => {
  const cache = clientWithRows({ T1: 1 });
  const rows = new RowSubscriptions(cache, queryKey);
  const listener = vi.fn();
  const unsubscribe = rows.subscribe("T1", listener);
  cache.setQueryData(["rows", "r2", "task"], { T1: 2 });
  expect(listener).not.toHaveBeenCalled();
  unsubscribe();
  cache.setQueryData(queryKey, { T1: 3 });
  expect(rows.get("T1")).toBe(3);
});
