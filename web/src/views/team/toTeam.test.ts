import { expect, test } from "vitest";
import type { SessionRow } from "~/api/generated";
import { countEnded, toTeam } from "./toTeam";

const session = (id: string, parent: string | null, endedAt: number | null = null): SessionRow =>
  ({ id, parent, endedAt, startedAt: 0 }) as SessionRow;
const rows = {
  s_1: session("s_1", null),
  s_2: session("s_2", "s_1", 5),
  s_10: session("s_10", "s_2"),
  s_3: session("s_3", "s_1", 5),
  s_4: session("s_4", "s_99"),
};
const written = (withEnded: boolean) =>
  toTeam(rows, withEnded).map(({ session, depth }) => `${"-".repeat(depth)}${session.id}`);

test("each session follows its parent", () => {
  expect(written(true)).toEqual(["s_1", "-s_2", "--s_10", "-s_3", "s_4"]);
});

test("ended sessions are left out, unless a session below is live", () => {
  expect(written(false)).toEqual(["s_1", "-s_2", "--s_10", "s_4"]);
  expect(countEnded(rows)).toBe(2);
});
