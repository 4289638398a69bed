/** What agents asked of each other: calls with their results, and messages, latest first. */

import type { DirectMessageRow, InvocationRow, InvocationState } from "~/api/generated";

export type AgentCall = {
  id: string;
  from: string | null;
  to: string | null;
  text: string;
  /** `null` for a message, which has no result. */
  state: InvocationState | null;
  outcome: string | null;
  at: number;
  endedAt: number | null;
};

type Rows<Row> = Readonly<Record<string, Row>>;

export function toCalls(invocations: Rows<InvocationRow>, messages: Rows<DirectMessageRow>): AgentCall[] {
  const calls = Object.values(invocations).map(
    (row): AgentCall => ({
      id: row.id,
      from: row.caller,
      to: row.callee,
      text: row.wanted,
      state: row.status,
      outcome: row.outcome,
      at: row.createdAt,
      endedAt: row.endedAt,
    }),
  );
  const sent = Object.values(messages).map(
    (row): AgentCall => ({
      id: row.id,
      from: row.from,
      to: row.to,
      text: row.content,
      state: null,
      outcome: null,
      at: row.createdAt,
      endedAt: null,
    }),
  );
  return [...calls, ...sent].sort((left, right) => right.at - left.at);
}

export type CallPair = { from: string | null; to: string | null; n: number };

/** How often one agent called or wrote to another, most frequent first. */
export function toCallPairs(calls: readonly AgentCall[]): CallPair[] {
  const pairs = new Map<string, CallPair>();
  for (const { from, to } of calls) {
    const key = JSON.stringify([from, to]);
    const pair = pairs.get(key);
    if (pair) pair.n += 1;
    else pairs.set(key, { from, to, n: 1 });
  }
  return [...pairs.values()].sort((left, right) => right.n - left.n);
}
