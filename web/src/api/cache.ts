/** The rows of the server in the query cache: where they are, and the only place that puts a change there. */

import type { QueryClient } from "@tanstack/react-query";
import type { Changed, InboxEntry, RowOf, RunRow } from "./generated";
import { isKind, type Kind } from "./rows";

/** Rows of one kind by their keys. */
export type Table<K extends Kind> = Readonly<Record<string, RowOf[K]>>;

export const keys = {
  runs: ["runs"] as const,
  /** Where the runs are that are older than those in the table of them. */
  olderRuns: ["olderRuns"] as const,
  allRuns: ["allRuns"] as const,
  inbox: ["inbox"] as const,
  status: ["status"] as const,
  rows: (run: string, kind: Kind) => ["rows", run, kind] as const,
  /** Turns are kept for each task: all of a long run are too many to fetch for one conversation. */
  turns: (run: string, task: string) => ["rows", run, "turn", task] as const,
};

/** The task of a turn, by the turn's key. */
export const taskOfTurn = (key: string) => key.slice(0, key.lastIndexOf("/"));

/** Puts changes into the tables that somebody has asked for. Later ones win. */
export function applyChanges(cache: QueryClient, changes: readonly Changed[]): void {
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
    if (!isKind(kind)) continue;
    put(kind === "turn" ? keys.turns(run, taskOfTurn(key)) : keys.rows(run, kind), key, row);
    if (kind === "run") put(keys.runs, run, row);
    if (kind === "inbox") put(keys.inbox, waitingKey(run, key), row && { ...(row as object), run });
  }
  for (const { queryKey, next } of tables.values()) cache.setQueryData(queryKey, next);
}

export const waitingKey = (run: string, key: string) => `${run}/${key}`;

/** Runs, the newest first. */
export function toRuns(rows: Readonly<Record<string, RunRow>>): RunRow[] {
  return Object.values(rows).sort((left, right) => right.startedAt - left.startedAt);
}

/** What waits, with what holds up most first. */
export function toWaiting(rows: Readonly<Record<string, InboxEntry>>): InboxEntry[] {
  return Object.values(rows).sort(
    (left, right) =>
      right.holdsUp.timeMs - left.holdsUp.timeMs ||
      right.holdsUp.tasks - left.holdsUp.tasks ||
      left.sinceAt - right.sinceAt,
  );
}
