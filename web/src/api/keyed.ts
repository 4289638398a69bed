/**
 * One row of many, for views that show hundreds of them.
 *
 * A table is watched once; who looks at a row is told when that row changes, and nobody else. So a change costs what it
 * changes, however many rows are on the screen.
 */

import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { keys, waitingKey } from "./cache";
import { cache } from "./client";
import type { InboxEntry, RowOf } from "./generated";
import type { Kind } from "./rows";

type Rows = Readonly<Record<string, unknown>>;
const NONE: Rows = {};

export class Keyed {
  #rows: Rows;
  #listeners = new Map<string, Set<() => void>>();
  #unwatch: (() => void) | null = null;

  constructor(
    private readonly client: QueryClient,
    private readonly queryKey: QueryKey,
  ) {
    this.#rows = this.#read();
  }

  get(key: string): unknown {
    // Nobody tells of changes while nobody listens.
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
        this.#take();
    });
  }

  #take(): void {
    const before = this.#rows;
    this.#rows = this.#read();
    for (const [key, listeners] of this.#listeners) {
      if (before[key] === this.#rows[key]) continue;
      for (const listener of listeners) listener();
    }
  }

  #read(): Rows {
    return this.client.getQueryData<Rows>(this.queryKey) ?? NONE;
  }
}

const tables = new Map<string, Keyed>();

function table(queryKey: QueryKey): Keyed {
  const name = queryKey.join("\n");
  const known = tables.get(name) ?? new Keyed(cache, queryKey);
  tables.set(name, known);
  return known;
}

function useKeyed(rows: Keyed, key: string): unknown {
  const subscribe = useCallback((listener: () => void) => rows.subscribe(key, listener), [rows, key]);
  return useSyncExternalStore(subscribe, () => rows.get(key));
}

/** One row, kept current as long as some part of the page asks for its table. */
export function useKeyedRow<K extends Kind>(run: string, kind: K, key: string): RowOf[K] | undefined {
  return useKeyed(table(keys.rows(run, kind)), key) as RowOf[K] | undefined;
}

/** One thing that waits for a person, by its key within its run. */
export function useKeyedWaiting(run: string, key: string | null): InboxEntry | undefined {
  return useKeyed(table(keys.inbox), key === null ? "" : waitingKey(run, key)) as InboxEntry | undefined;
}
