/** Orders the sessions of a run as a tree. */

import type { QuestionRow, SessionRow } from "~/api/generated";

export type TeamMember = {
  session: SessionRow;
  depth: number;
  /** How many sessions it has started, including ended ones. */
  nBelow: number;
};

const compareSessions = (left: SessionRow, right: SessionRow) =>
  left.startedAt - right.startedAt || left.id.localeCompare(right.id, "en", { numeric: true });

/** The sessions in tree order, parents first. Ended sessions are left out unless `withEnded`. */
export function toTeam(rows: Readonly<Record<string, SessionRow>>, withEnded: boolean): TeamMember[] {
  const below = new Map<string | null, SessionRow[]>();
  for (const row of Object.values(rows)) {
    const parent = row.parent !== null && rows[row.parent] ? row.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const members: TeamMember[] = [];
  const add = (row: SessionRow, depth: number): boolean => {
    const member = { session: row, depth, nBelow: below.get(row.id)?.length ?? 0 };
    const at = members.length;
    members.push(member);
    // The parent of a live session is shown even if it has ended.
    let hasLive = false;
    for (const child of (below.get(row.id) ?? []).sort(compareSessions))
      hasLive = add(child, depth + 1) || hasLive;
    if (hasLive || withEnded || row.endedAt === null) return true;
    members.splice(at);
    return false;
  };
  for (const row of (below.get(null) ?? []).sort(compareSessions)) add(row, 0);
  return members;
}

/** The open questions for a person, by session. */
export function toQuestionsBySession(
  questions: Readonly<Record<string, QuestionRow>>,
): Map<string, QuestionRow> {
  const pending = Object.values(questions).filter(({ status }) => status === "pending");
  return new Map(pending.map((question) => [question.session, question]));
}

export function countEndedSessions(rows: Readonly<Record<string, SessionRow>>): number {
  return Object.values(rows).filter((row) => row.endedAt !== null).length;
}
