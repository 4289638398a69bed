/**
 * Subscriptions to single rows, for views that show hundreds of them.
 *
 * Each table is watched once, and a component is notified only if its own row changes. The cost of a change does not
 * depend on the number of rows on the screen.
 */

import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { inboxKey, queryKeys } from "./cache";
import { cache } from "./client";
import type { InboxEntry, RowOf } from "./generated";
import type { RowKind } from "./rows";

type UntypedRowsByKey = Readonly<Record<string, unknown>>;
const NO_ROWS: UntypedRowsByKey = {};

export class RowSubscriptions {
  #rows: UntypedRowsByKey;
  #listeners = new Map<string, Set<() => void>>();
  #unwatch: (() => void) | null = null;

  constructor(
    private readonly client: QueryClient,
    private readonly queryKey: QueryKey,
  ) {
    this.#rows = this.#read();
  }

  get(key: string): unknown {
    // Without listeners the cache is not watched, so the copy may be old.
    if (!this.#unwatch) this.#rows = this.#read();
    return this.#rows[key];
  }

  subscribe(key: string, listener: () => void): () => void {
    this.#watch();
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(key);
      if (this.#listeners.size > 0) return;
      this.#unwatch?.();
      this.#unwatch = null;
    };
  }

  #watch(): void {
    if (this.#unwatch) return;
    this.#rows = this.#read();
    const hash = hashKey(this.queryKey);
    this.#unwatch = this.client.getQueryCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "success" && event.query.queryHash === hash)
        this.#update();
    });
  }

  #update(): void {
    const before = this.#rows;
    this.#rows = this.#read();
    for (const [key, listeners] of this.#listeners) {
      if (before[key] === this.#rows[key]) continue;
      for (const listener of listeners) listener();
    }
  }

  #read(): UntypedRowsByKey {
    return this.client.getQueryData<UntypedRowsByKey>(this.queryKey) ?? NO_ROWS;
  }
}

const tables = new Map<string, RowSubscriptions>();

function subscriptionsForQuery(queryKey: QueryKey): RowSubscriptions {
  const name = queryKey.join("\n");
  const known = tables.get(name) ?? new RowSubscriptions(cache, queryKey);
  tables.set(name, known);
  return known;
}

function useSubscribedRow(rows: RowSubscriptions, key: string): unknown {
  const subscribe = useCallback((listener: () => void) => rows.subscribe(key, listener), [rows, key]);
  return useSyncExternalStore(subscribe, () => rows.get(key));
}

/** One row, kept current as long as another component queries its table. */
export function useRowByKey<K extends RowKind>(run: string, kind: K, key: string): RowOf[K] | undefined {
  return useSubscribedRow(subscriptionsForQuery(queryKeys.rows(run, kind)), key) as RowOf[K] | undefined;
}

/** One entry of the inbox, by its key within its run. */
export function useInboxEntry(run: string, key: string | null): InboxEntry | undefined {
  return useSubscribedRow(subscriptionsForQuery(queryKeys.inbox), key === null ? "" : inboxKey(run, key)) as
    | InboxEntry
    | undefined;
}
