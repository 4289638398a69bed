import { expect, test } from "vitest";
import type { DirectMessageRow, InvocationRow } from "~/api/generated";
import { toCallPairs, toCalls } from "./toCalls";

const call = (id: string, caller: string, callee: string, createdAt: number) =>
  ({
    id,
    caller,
    callee,
    createdAt,
    wanted: "a review",
    status: "completed",
    outcome: "fine",
  }) as InvocationRow;
const message = (id: string, createdAt: number) =>
  ({ id, from: "ada", to: "bob", content: "hello", createdAt }) as DirectMessageRow;

test("calls and messages are in one list, latest first, and only calls have results", () => {
  const calls = toCalls({ i_1: call("i_1", "ada", "bob", 10) }, { d_1: message("d_1", 20) });
  expect(calls.map(({ id, text, outcome }) => [id, text, outcome])).toEqual([
    ["d_1", "hello", null],
    ["i_1", "a review", "fine"],
  ]);
});

test("pairs of agents are counted by direction", () => {
  const rows = [call("i_1", "ada", "bob", 1), call("i_2", "bob", "ada", 2), call("i_3", "bob", "ada", 3)];
  const calls = toCalls(Object.fromEntries(rows.map((row) => [row.id, row])), {});
  expect(toCallPairs(calls)).toEqual([
    { from: "bob", to: "ada", n: 2 },
    { from: "ada", to: "bob", n: 1 },
  ]);
});
