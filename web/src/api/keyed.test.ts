import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { Keyed } from "./keyed";

const queryKey = ["rows", "r1", "task"];

function client(rows: Record<string, unknown>): QueryClient {
  const client = new QueryClient({ defaultOptions: { queries: { structuralSharing: false } } });
  client.setQueryData(queryKey, rows);
  return client;
}

test("who looks at a row is told when that row changes, and nobody else", () => {
  const [one, two] = [{ id: "T1" }, { id: "T2" }];
  const cache = client({ T1: one, T2: two });
  const keyed = new Keyed(cache, queryKey);
  const [first, second] = [vi.fn(), vi.fn()];
  const leave = keyed.subscribe("T1", first);
  keyed.subscribe("T2", second);
  cache.setQueryData(queryKey, { T1: one, T2: { id: "T2", state: "done" } });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
  expect(keyed.get("T2")).toEqual({ id: "T2", state: "done" });
  leave();
  cache.setQueryData(queryKey, { T2: two });
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 2]);
  expect(keyed.get("T1")).toBeUndefined();
});

test("other tables change nothing, and a row is current also while nobody listens", () => {
  const cache = client({ T1: 1 });
  const keyed = new Keyed(cache, queryKey);
  const listener = vi.fn();
  const leave = keyed.subscribe("T1", listener);
  cache.setQueryData(["rows", "r2", "task"], { T1: 2 });
  expect(listener).not.toHaveBeenCalled();
  leave();
  cache.setQueryData(queryKey, { T1: 3 });
  expect(keyed.get("T1")).toBe(3);
});
