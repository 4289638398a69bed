import { expect, test } from "vitest";
import type { SessionRow } from "~/api/generated";
import { countEndedSessions, toTeam } from "./toTeam";

const sessionRow = (id: string, parent: string | null, endedAt: number | null = null): SessionRow =>
  ({ id, parent, endedAt, startedAt: 0 }) as SessionRow;
const rows = {
  s_1: sessionRow("s_1", null),
  s_2: sessionRow("s_2", "s_1", 5),
  s_10: sessionRow("s_10", "s_2"),
  s_3: sessionRow("s_3", "s_1", 5),
  s_4: sessionRow("s_4", "s_99"),
};
const formatTeamTree = (withEnded: boolean) =>
  toTeam(rows, withEnded).map(({ session, depth }) => `${"-".repeat(depth)}${session.id}`);

test("each session follows its parent", () => {
  expect(formatTeamTree(true)).toEqual(["s_1", "-s_2", "--s_10", "-s_3", "s_4"]);
});

test("ended sessions are omitted, unless a session below has not ended", () => {
  expect(formatTeamTree(false)).toEqual(["s_1", "-s_2", "--s_10", "s_4"]);
  expect(countEndedSessions(rows)).toBe(2);
});
