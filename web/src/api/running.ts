/**
 * The turns that are not over: what agents say and do, as far as this page heard it.
 *
 * Nobody keeps this. When a turn ends its row comes, and stands in its place.
 */

import type { StreamEvent } from "./eventStream";
import type { Changed, Glimpsed, ToolStatus, TurnRow } from "./generated";

export type Part =
  | { type: "words"; text: string }
  | { type: "tool"; id: string; title: string; status: ToolStatus };

export type RunningTurn = {
  parts: readonly Part[];
  /** What is wrong and may pass. */
  trouble: string | null;
  /** The row that has come in its place. */
  row: { task: string; index: number } | null;
};

/** The last words matter. */
const WORDS_MAX = 8_000;
const PARTS_MAX = 60;
const TURNS_MAX = 200;

const NEW: RunningTurn = { parts: [], trouble: null, row: null };

export class Running {
  #turns = new Map<string, RunningTurn>();
  #listeners = new Set<() => void>();
  #count = 0;

  /** Another number whenever something is new. */
  count = (): number => this.#count;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The turn of a session; the same one until something is new in it. */
  of(run: string, session: string): RunningTurn | undefined {
    return this.#turns.get(name(run, session));
  }

  hear = (batch: readonly StreamEvent[]): void => {
    let isNew = false;
    for (const heard of batch) {
      isNew = ("glimpse" in heard ? this.#see(heard.glimpse) : this.#end(heard.change)) || isNew;
    }
    if (!isNew) return;
    this.#count += 1;
    for (const listener of this.#listeners) listener();
  };

  #see({ run, session, what }: Glimpsed): boolean {
    const key = name(run, session);
    const held = this.#turns.get(key);
    const next = withGlimpse(held && held.row === null ? held : NEW, what);
    if (!next) return false;
    // The newest stands last.
    this.#turns.delete(key);
    this.#turns.set(key, next);
    const oldest = this.#turns.keys().next();
    if (this.#turns.size > TURNS_MAX && !oldest.done) this.#turns.delete(oldest.value);
    return true;
  }

  #end({ run, kind, row }: Changed): boolean {
    if (kind !== "turn" || row === null) return false;
    const turn = row as TurnRow;
    const held = this.#turns.get(name(run, turn.session));
    if (!held || turn.role !== "agent" || turn.kind !== "text") return false;
    this.#turns.set(name(run, turn.session), { ...held, row: { task: turn.task, index: turn.index } });
    return true;
  }
}

const name = (run: string, session: string) => `${run}/${session}`;

function withGlimpse(turn: RunningTurn, what: Glimpsed["what"]): RunningTurn | null {
  switch (what.type) {
    case "words":
      return { ...turn, parts: bounded(withWords(turn.parts, what.text)), trouble: null };
    case "tool":
      return { ...turn, parts: bounded(withTool(turn.parts, what)), trouble: null };
    case "trouble":
      return { ...turn, trouble: what.text };
    case "plan":
      return null;
    default:
      return what satisfies never;
  }
}

function withWords(parts: readonly Part[], text: string): Part[] {
  const last = parts.at(-1);
  if (last?.type !== "words") return [...parts, { type: "words", text }];
  return [...parts.slice(0, -1), { type: "words", text: (last.text + text).slice(-WORDS_MAX) }];
}

function withTool(
  parts: readonly Part[],
  { id, title, status }: Omit<Part & { type: "tool" }, "type">,
): Part[] {
  const known = parts.some((part) => part.type === "tool" && part.id === id);
  if (!known) return [...parts, { type: "tool", id, title, status }];
  return parts.map((part) =>
    part.type === "tool" && part.id === id ? { ...part, title: title || part.title, status } : part,
  );
}

const bounded = (parts: Part[]): Part[] => parts.slice(-PARTS_MAX);
