/** The cache and the stream of this page, and what the server can be asked. */

import { QueryClient } from "@tanstack/react-query";
import { applyChanges, keys, type Table, taskOfTurn, waitingKey } from "./cache";
import type { InboxEntry, RowOf, RunRow, RunRows, Status } from "./generated";
import { getJson, isOffline, part, Refusal } from "./http";
import { Live } from "./live";
import { type Kind, keyOf } from "./rows";
import { Running } from "./running";
import { fetchAmongTabs } from "./tabs";

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
  fetch: fetchAmongTabs(),
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

export const runsQuery = {
  queryKey: keys.runs,
  queryFn: async (): Promise<Record<string, RunRow>> => {
    const { fetched, missed } = await live.fetchRows(() => getJson<RunRow[]>("/api/runs"));
    const runs = Object.fromEntries(fetched.map((row) => [row.id, row]));
    for (const change of missed) if (change.kind === "run") runs[change.run] = change.row as RunRow;
    return runs;
  },
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
