/** Hooks for the server's rows. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { toSortedInbox, toSortedRuns } from "./cache";
import {
  allRunsQuery,
  damagedRunsQuery,
  fetchOlderRuns,
  inboxQuery,
  live,
  olderRunsQuery,
  rowsQuery,
  runsQuery,
  turnsQuery,
} from "./client";
import { sendCommand } from "./commands";
import type { RowOf, UserCommand } from "./generated";
import type { ConnectionState } from "./live";
import type { RowKind } from "./rows";

/** All rows of a kind by key, kept current. */
export function useRows<K extends Exclude<RowKind, "turn">>(run: string, kind: K, enabled = true) {
  return useQuery({ ...rowsQuery(run, kind), enabled });
}

/** The turns of a task, or of a session that works for no task, by key, kept current. */
export function useTurns(run: string, conversation: string) {
  return useQuery(turnsQuery(run, conversation));
}

/** One row, kept current; `undefined` while it is loading or if there is none. */
export function useRow<K extends Exclude<RowKind, "turn">>(
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

export function useLoadedRuns() {
  return useQuery({ ...runsQuery, select: toSortedRuns });
}

export function useDamagedRuns() {
  return useQuery(damagedRunsQuery).data ?? [];
}

/** Fetches older runs; `null` if there are none. */
export function useFetchOlderRuns() {
  const older = useMutation({ mutationFn: fetchOlderRuns });
  const path = useQuery(olderRunsQuery).data ?? null;
  return path === null ? null : { ...older, fetch: () => older.mutate(path) };
}

/** All runs, including those not yet listed, newest first. */
export function useAllRuns() {
  const all = useQuery(allRunsQuery).data ?? [];
  const newest = useQuery(runsQuery).data ?? {};
  return toSortedRuns({ ...Object.fromEntries(all.map((row) => [row.id, row])), ...newest });
}

/** The inbox of one run or of all, urgent problems first, then entries that block the most work. */
export function useInbox(run?: string) {
  return useQuery({
    ...inboxQuery,
    select: (rows) => toSortedInbox(rows).filter((row) => run === undefined || row.run === run),
  });
}

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(live.subscribe, () => live.state);
}

/** Sends a command to a run; its effect arrives over the stream. */
export function useCommandMutation(run: string) {
  return useMutation({ mutationFn: (command: UserCommand) => sendCommand(run, command) });
}
