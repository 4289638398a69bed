/** The sessions of a run as the tree that they are. */

import type { QuestionRow, SessionRow } from "~/api/generated";

export type Member = {
  session: SessionRow;
  depth: number;
  /** How many are below it, over or not. */
  nBelow: number;
};

const compare = (left: SessionRow, right: SessionRow) =>
  left.startedAt - right.startedAt || left.id.localeCompare(right.id, "en", { numeric: true });

/** The sessions in the order of a tree, each behind the one above it. What is over is left out unless it is wanted. */
export function toTeam(rows: Readonly<Record<string, SessionRow>>, withEnded: boolean): Member[] {
  const below = new Map<string | null, SessionRow[]>();
  for (const row of Object.values(rows)) {
    const parent = row.parent !== null && rows[row.parent] ? row.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), row]);
  }
  const members: Member[] = [];
  const add = (row: SessionRow, depth: number): boolean => {
    const member = { session: row, depth, nBelow: below.get(row.id)?.length ?? 0 };
    const at = members.length;
    members.push(member);
    // One above a living one is shown, however it stands itself.
    let lives = false;
    for (const child of (below.get(row.id) ?? []).sort(compare)) lives = add(child, depth + 1) || lives;
    if (lives || withEnded || row.endedAt === null) return true;
    members.splice(at);
    return false;
  };
  for (const row of (below.get(null) ?? []).sort(compare)) add(row, 0);
  return members;
}

/** What sessions ask a person, by session. */
export function toAskedBy(questions: Readonly<Record<string, QuestionRow>>): Map<string, QuestionRow> {
  const pending = Object.values(questions).filter(({ status }) => status === "pending");
  return new Map(pending.map((question) => [question.session, question]));
}

export function countEnded(rows: Readonly<Record<string, SessionRow>>): number {
  return Object.values(rows).filter((row) => row.endedAt !== null).length;
}
