/** The cache and the stream of this page, and what the server can be asked. */

import { QueryClient } from "@tanstack/react-query";
import { applyChanges, keys, type Table, taskOfTurn, waitingKey } from "./cache";
import { connectStream } from "./connectStream";
import type { InboxEntry, RowOf, RunRow, RunRows, Status } from "./generated";
import { getJson, getPage, isOffline, part, Refusal } from "./http";
import { Live } from "./live";
import { type Kind, keyOf } from "./rows";
import { Running } from "./running";

export const cache = new QueryClient({
  defaultOptions: {
    // The server is on this machine: that the browser is cut off from the internet means nothing to it.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      // The stream keeps rows current, so nothing is fetched again by itself.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 5 * 60_000,
      refetchOnWindowFocus: false,
      retry: (n, error) => (error instanceof Refusal ? false : isOffline(error) || n < 2),
      structuralSharing: false,
    },
  },
});

export const live = new Live({
  connect: connectStream,
  onChanges: (changes) => applyChanges(cache, changes),
});

/** Follows the stream from the beginning on, so that what was said before somebody looks is there. */
export const running = new Running();
live.follow(running.hear);

/** What several tables of a run need is asked for once. */
const underWay = new Map<string, { kinds: Set<Kind>; fetched: Promise<RunRows> }>();

function fetchKind(run: string, kind: Kind): Promise<RunRows> {
  const shared = underWay.get(run);
  if (shared) {
    shared.kinds.add(kind);
    return shared.fetched;
  }
  const kinds = new Set([kind]);
  // The components of one screen ask in the same moment.
  const fetched = new Promise((resolve) => setTimeout(resolve)).then(() => {
    underWay.delete(run);
    const query = [...kinds].map((wanted) => `kind=${wanted}`).join("&");
    return getJson<RunRows>(`/api/runs/${part(run)}/rows?${query}`);
  });
  underWay.set(run, { kinds, fetched });
  return fetched;
}

/** All rows of a kind of a run but turns, which are fetched for each task. */
export function rowsQuery<K extends Exclude<Kind, "turn">>(run: string, kind: K) {
  return {
    queryKey: keys.rows(run, kind),
    queryFn: () => fetchTable(run, kind, () => fetchKind(run, kind)),
  };
}

/** The turns of one task. */
export function turnsQuery(run: string, task: string) {
  const path = `/api/runs/${part(run)}/rows?kind=turn&task=${part(task)}`;
  return {
    queryKey: keys.turns(run, task),
    queryFn: () =>
      fetchTable(
        run,
        "turn",
        () => getJson<RunRows>(path),
        (key) => taskOfTurn(key) === task,
      ),
  };
}

/** Fetches rows, and puts what changed meanwhile on top. */
async function fetchTable<K extends Kind>(
  run: string,
  kind: K,
  fetch: () => Promise<RunRows>,
  isWanted: (key: string) => boolean = () => true,
): Promise<Table<K>> {
  const { fetched, missed } = await live.fetchRows(fetch);
  const table: Record<string, RowOf[K]> = {};
  for (const row of fetched.rows[kind] ?? []) table[keyOf[kind](row)] = row;
  for (const change of missed) {
    if (change.run !== run || change.kind !== kind || change.sequence <= fetched.sequence) continue;
    if (!isWanted(change.key)) continue;
    if (change.row === null) delete table[change.key];
    else table[change.key] = change.row as RowOf[K];
  }
  return table;
}

/** So many runs are fetched at once. */
const RUNS_AT_ONCE = 50;

/** The newest runs, and as many more as were fetched already. */
export const runsQuery = {
  queryKey: keys.runs,
  queryFn: async (): Promise<Record<string, RunRow>> => {
    const n = Object.keys(cache.getQueryData<object>(keys.runs) ?? {}).length;
    const path = `/api/runs?limit=${Math.min(1000, Math.max(RUNS_AT_ONCE, n))}`;
    const { fetched, missed } = await live.fetchRows(() => getPage<RunRow>(path));
    const runs = Object.fromEntries(fetched.rows.map((row) => [row.id, row]));
    for (const change of missed) if (change.kind === "run") runs[change.run] = change.row as RunRow;
    cache.setQueryData(keys.olderRuns, fetched.next);
    return runs;
  },
};

// It is never fetched by itself, so it must not be forgotten.
cache.setQueryDefaults(keys.olderRuns, { gcTime: Number.POSITIVE_INFINITY });

/** Where older runs are; `null` where there are none. */
export const olderRunsQuery = {
  queryKey: keys.olderRuns,
  queryFn: () => null as string | null,
  enabled: false,
};

/** Puts runs into the table of them that are older than those in it. */
export async function fetchOlderRuns(path: string): Promise<void> {
  const { rows, next } = await getPage<RunRow>(path);
  cache.setQueryData<Record<string, RunRow>>(keys.runs, (held) => ({
    ...Object.fromEntries(rows.map((row) => [row.id, row])),
    // These are kept current by the stream.
    ...held,
  }));
  cache.setQueryData(keys.olderRuns, next);
}

/** All runs that there are, for who looks for one by its name. */
export const allRunsQuery = {
  queryKey: keys.allRuns,
  queryFn: () => getJson<RunRow[]>("/api/runs"),
  staleTime: 60_000,
};

export const inboxQuery = {
  queryKey: keys.inbox,
  queryFn: async (): Promise<Record<string, InboxEntry>> => {
    const { fetched, missed } = await live.fetchRows(() => getJson<InboxEntry[]>("/api/inbox"));
    const rows = Object.fromEntries(fetched.map((row) => [waitingKey(row.run, keyOf.inbox(row)), row]));
    for (const { kind, run, key, row } of missed) {
      if (kind !== "inbox") continue;
      if (row === null) delete rows[waitingKey(run, key)];
      else rows[waitingKey(run, key)] = { ...(row as RowOf["inbox"]), run };
    }
    return rows;
  },
};

export const statusQuery = { queryKey: keys.status, queryFn: () => getJson<Status>("/api/status") };
