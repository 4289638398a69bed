/** What components know of the server. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { toRuns, toWaiting } from "./cache";
import {
  allRunsQuery,
  fetchOlderRuns,
  inboxQuery,
  live,
  olderRunsQuery,
  rowsQuery,
  runsQuery,
  turnsQuery,
} from "./client";
import type { Command, RowOf } from "./generated";
import type { LiveState } from "./live";
import type { Kind } from "./rows";
import { wish } from "./wishes";

/** All rows of a kind by their keys, kept current. */
export function useRows<K extends Exclude<Kind, "turn">>(run: string, kind: K, enabled = true) {
  return useQuery({ ...rowsQuery(run, kind), enabled });
}

/** The turns of a task by their keys, kept current. */
export function useTurns(run: string, task: string) {
  return useQuery(turnsQuery(run, task));
}

/** One row, kept current; `undefined` while it is fetched and where there is none. */
export function useRow<K extends Exclude<Kind, "turn">>(
  run: string,
  kind: K,
  key: string | null | undefined,
): RowOf[K] | undefined {
  const query = useQuery({
    ...rowsQuery(run, kind),
    select: (rows) => (key == null ? undefined : rows[key]) ?? null,
  });
  return query.data ?? undefined;
}

export function useRuns() {
  return useQuery({ ...runsQuery, select: toRuns });
}

/** Fetches older runs; nothing where there are none. */
export function useOlderRuns() {
  const older = useMutation({ mutationFn: fetchOlderRuns });
  const path = useQuery(olderRunsQuery).data ?? null;
  return path === null ? null : { ...older, fetch: () => older.mutate(path) };
}

/** All runs, also those that no list shows yet; the newest first. */
export function useAllRuns() {
  const all = useQuery(allRunsQuery).data ?? [];
  const newest = useQuery(runsQuery).data ?? {};
  return toRuns({ ...Object.fromEntries(all.map((row) => [row.id, row])), ...newest });
}

/** What waits for a person, in one run or in all, with what holds up most first. */
export function useWaiting(run?: string) {
  return useQuery({
    ...inboxQuery,
    select: (rows) => toWaiting(rows).filter((row) => run === undefined || row.run === run),
  });
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(live.subscribe, () => live.state);
}

/** Wishes something of a run; the change comes back over the stream. */
export function useWish(run: string) {
  return useMutation({ mutationFn: (what: Command) => wish(run, what) });
}
