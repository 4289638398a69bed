/** The server's rows in the query cache: their query keys, and the only place that applies changes. */

import type { QueryClient } from "@tanstack/react-query";
import type { InboxEntry, RowChange, RowOf, RunRow } from "./generated";
import { isRowKind, type RowKind } from "./rows";

/** Rows of one kind by their keys. */
export type RowsByKey<K extends RowKind> = Readonly<Record<string, RowOf[K]>>;

export const queryKeys = {
  runs: ["runs"] as const,
  /** The address of runs that are older than those in `runs`. */
  olderRuns: ["olderRuns"] as const,
  allRuns: ["allRuns"] as const,
  damagedRuns: ["damagedRuns"] as const,
  inbox: ["inbox"] as const,
  status: ["status"] as const,
  rows: (run: string, kind: RowKind) => ["rows", run, kind] as const,
  /** By task, or session without a task: all turns of a long run are too many to fetch for one conversation. */
  turns: (run: string, conversation: string) => ["rows", run, "turn", conversation] as const,
};

/** The task or session of a turn's conversation, by the turn's key. */
export const conversationOfTurnKey = (key: string) => key.slice(0, key.lastIndexOf("/"));

/** Applies changes to the tables that are in the cache, in order. */
export function applyRowChanges(cache: QueryClient, changes: readonly RowChange[]): void {
  const tables = new Map<string, { queryKey: readonly unknown[]; next: Record<string, unknown> }>();
  const put = (queryKey: readonly unknown[], key: string, row: unknown) => {
    const name = queryKey.join("\n");
    let table = tables.get(name);
    if (!table) {
      const held = cache.getQueryData<Record<string, unknown>>(queryKey);
      if (!held) return;
      table = { queryKey, next: { ...held } };
      tables.set(name, table);
    }
    if (row === null) delete table.next[key];
    else table.next[key] = row;
  };
  for (const { run, kind, key, row } of changes) {
    if (!isRowKind(kind)) continue;
    put(
      kind === "turn" ? queryKeys.turns(run, conversationOfTurnKey(key)) : queryKeys.rows(run, kind),
      key,
      row,
    );
    if (kind === "run") put(queryKeys.runs, run, row);
    if (kind === "inbox") put(queryKeys.inbox, inboxKey(run, key), row && { ...(row as object), run });
  }
  for (const { queryKey, next } of tables.values()) cache.setQueryData(queryKey, next);
}

export const inboxKey = (run: string, key: string) => `${run}/${key}`;

/** Runs, newest first. */
export function toSortedRuns(rows: Readonly<Record<string, RunRow>>): RunRow[] {
  return Object.values(rows).sort((left, right) => right.startedAt - left.startedAt);
}

/** Urgent problems come before everything else. */
const severityRank = ({ severity }: InboxEntry) =>
  severity === "critical" ? 0 : severity === "high" ? 1 : 2;

/** Inbox entries: urgent problems, then those that block the most work. */
export function toSortedInbox(rows: Readonly<Record<string, InboxEntry>>): InboxEntry[] {
  return Object.values(rows).sort(
    (left, right) =>
      severityRank(left) - severityRank(right) ||
      right.blocks.timeMs - left.blocks.timeMs ||
      right.blocks.tasks - left.blocks.tasks ||
      left.sinceAt - right.sinceAt,
  );
}
