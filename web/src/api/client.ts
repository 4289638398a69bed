/** The query cache and the live updates of this page, and the queries for rows. */

import { QueryClient } from "@tanstack/react-query";
import { applyRowChanges, conversationOfTurnKey, inboxKey, queryKeys, type RowsByKey } from "./cache";
import { connectStream } from "./connectStream";
import type { DamagedRunEntry, InboxEntry, RowOf, RunRow, RunRows, ServerStatus } from "./generated";
import { ApiError, encodePathSegment, getJson, getListPage, isUnreachableError } from "./http";
import { LiveUpdates } from "./live";
import { type RowKind, rowKeyOf } from "./rows";
import { RunningTurns } from "./runningTurns";

export const cache = new QueryClient({
  defaultOptions: {
    // The server is on this machine: it is reachable without the internet.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      // Live updates keep rows current.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (n, error) => (error instanceof ApiError ? false : isUnreachableError(error) || n < 2),
      structuralSharing: false,
    },
  },
});

export const live = new LiveUpdates({
  connect: connectStream,
  onChanges: (changes) => applyRowChanges(cache, changes),
});

/** Listens from the start, so that a view that is opened later shows what came before. */
export const runningTurns = new RunningTurns();
live.onEvents(runningTurns.receive);

/** Tables of a run that are wanted at the same time are fetched in one request. */
const pendingFetches = new Map<string, { kinds: Set<RowKind>; fetched: Promise<RunRows> }>();

function fetchRowsOfKind(run: string, kind: RowKind): Promise<RunRows> {
  const shared = pendingFetches.get(run);
  if (shared) {
    shared.kinds.add(kind);
    return shared.fetched;
  }
  const kinds = new Set([kind]);
  // The components of one screen query in the same tick.
  const fetched = new Promise((resolve) => setTimeout(resolve)).then(() => {
    pendingFetches.delete(run);
    const query = [...kinds].map((kind) => `kind=${kind}`).join("&");
    return getJson<RunRows>(`/api/runs/${encodePathSegment(run)}/rows?${query}`);
  });
  pendingFetches.set(run, { kinds, fetched });
  return fetched;
}

/** All rows of a kind, except turns, which are fetched by conversation. */
export function rowsQuery<K extends Exclude<RowKind, "turn">>(run: string, kind: K) {
  return {
    queryKey: queryKeys.rows(run, kind),
    queryFn: () => fetchRowsWithMissedChanges(run, kind, () => fetchRowsOfKind(run, kind)),
  };
}

/** Ids of sessions; no task has one of this form. */
const SESSION_ID = /^s_\d+$/;

/** The turns of a task, or of a session that works for no task. */
export function turnsQuery(run: string, conversation: string) {
  const filter = SESSION_ID.test(conversation) ? "session" : "task";
  const query = `kind=turn&${filter}=${encodePathSegment(conversation)}`;
  const path = `/api/runs/${encodePathSegment(run)}/rows?${query}`;
  return {
    queryKey: queryKeys.turns(run, conversation),
    queryFn: () =>
      fetchRowsWithMissedChanges(
        run,
        "turn",
        () => getJson<RunRows>(path),
        (key) => conversationOfTurnKey(key) === conversation,
      ),
  };
}

/** Fetches rows, and applies the changes that arrived meanwhile. */
async function fetchRowsWithMissedChanges<K extends RowKind>(
  run: string,
  kind: K,
  fetch: () => Promise<RunRows>,
  includesKey: (key: string) => boolean = () => true,
): Promise<RowsByKey<K>> {
  const { fetched, missed } = await live.fetchRows(fetch);
  const table: Record<string, RowOf[K]> = {};
  for (const row of fetched.rows[kind] ?? []) table[rowKeyOf[kind](row)] = row;
  for (const change of missed) {
    if (change.run !== run || change.kind !== kind || change.sequence <= fetched.sequence) continue;
    if (!includesKey(change.key)) continue;
    if (change.row === null) delete table[change.key];
    else table[change.key] = change.row as RowOf[K];
  }
  return table;
}

const RUNS_PAGE_SIZE = 50;

/** The newest runs, and as many as were already loaded. */
export const runsQuery = {
  queryKey: queryKeys.runs,
  queryFn: async (): Promise<Record<string, RunRow>> => {
    const n = Object.keys(cache.getQueryData<object>(queryKeys.runs) ?? {}).length;
    const path = `/api/runs?limit=${Math.min(1000, Math.max(RUNS_PAGE_SIZE, n))}`;
    const { fetched, missed } = await live.fetchRows(() => getListPage<RunRow>(path));
    const runs = Object.fromEntries(fetched.rows.map((row) => [row.id, row]));
    for (const change of missed) if (change.kind === "run") runs[change.run] = change.row as RunRow;
    cache.setQueryData(queryKeys.olderRuns, fetched.next);
    return runs;
  },
};

// It comes with the list of runs and is never fetched by itself, so it must not be dropped.
cache.setQueryDefaults(queryKeys.olderRuns, { gcTime: Number.POSITIVE_INFINITY });

/** The address of older runs; `null` if there are none. */
export const olderRunsQuery = {
  queryKey: queryKeys.olderRuns,
  queryFn: () => null as string | null,
  enabled: false,
};

/** Fetches older runs into the list of runs. */
export async function fetchOlderRuns(path: string): Promise<void> {
  const { rows, next } = await getListPage<RunRow>(path);
  cache.setQueryData<Record<string, RunRow>>(queryKeys.runs, (held) => ({
    ...Object.fromEntries(rows.map((row) => [row.id, row])),
    // These are current, the fetched ones may not be.
    ...held,
  }));
  cache.setQueryData(queryKeys.olderRuns, next);
}

/** Runs that cannot be continued or read. */
export const damagedRunsQuery = {
  queryKey: queryKeys.damagedRuns,
  queryFn: () => getJson<DamagedRunEntry[]>("/api/damage"),
  staleTime: 60_000,
};

/** All runs, for the search in the palette. */
export const allRunsQuery = {
  queryKey: queryKeys.allRuns,
  queryFn: () => getJson<RunRow[]>("/api/runs"),
  staleTime: 60_000,
};

export const inboxQuery = {
  queryKey: queryKeys.inbox,
  queryFn: async (): Promise<Record<string, InboxEntry>> => {
    const { fetched, missed } = await live.fetchRows(() => getJson<InboxEntry[]>("/api/inbox"));
    const rows = Object.fromEntries(fetched.map((row) => [inboxKey(row.run, rowKeyOf.inbox(row)), row]));
    for (const { kind, run, key, row } of missed) {
      if (kind !== "inbox") continue;
      if (row === null) delete rows[inboxKey(run, key)];
      else rows[inboxKey(run, key)] = { ...(row as RowOf["inbox"]), run };
    }
    return rows;
  },
};

export const statusQuery = {
  queryKey: queryKeys.status,
  queryFn: () => getJson<ServerStatus>("/api/status"),
};
