/**
 * Turns in progress: activity agents say and do, as far as this page received it.
 *
 * The server does not store this. When a turn ends, its row replaces it.
 */

import type { StreamEvent } from "./eventStream";
import type { RowChange, SessionActivity, ToolStatus, TurnRow } from "./generated";

export type RunningTurnPart =
  | { type: "text"; text: string }
  | { type: "tool"; id: string; title: string; status: ToolStatus };

export type RunningTurn = {
  parts: readonly RunningTurnPart[];
  /** A problem that may pass by itself, e.g. a rate limit. */
  trouble: string | null;
  /** The row that replaces this turn once it is shown. */
  row: { conversation: string; index: number } | null;
};

/** Only the end of a long text is kept. */
const TEXT_CHARS_MAX = 8_000;
const PARTS_MAX = 60;
const TURNS_MAX = 200;

const EMPTY_TURN: RunningTurn = { parts: [], trouble: null, row: null };

export class RunningTurns {
  #turns = new Map<string, RunningTurn>();
  #listeners = new Set<() => void>();
  #count = 0;

  /** A version number that grows with every change. */
  version = (): number => this.#count;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The turn of a session; the same object until it changes. */
  get(run: string, session: string): RunningTurn | undefined {
    return this.#turns.get(sessionKey(run, session));
  }

  receive = (batch: readonly StreamEvent[]): void => {
    let isChanged = false;
    for (const event of batch) {
      isChanged = ("activity" in event ? this.#add(event.activity) : this.#end(event.change)) || isChanged;
    }
    if (!isChanged) return;
    this.#count += 1;
    for (const listener of this.#listeners) listener();
  };

  #add({ run, session, activity }: SessionActivity): boolean {
    const key = sessionKey(run, session);
    const held = this.#turns.get(key);
    const next = withActivity(held && held.row === null ? held : EMPTY_TURN, activity);
    if (!next) return false;
    // Inserted last, so that the oldest is dropped first.
    this.#turns.delete(key);
    this.#turns.set(key, next);
    const oldest = this.#turns.keys().next();
    if (this.#turns.size > TURNS_MAX && !oldest.done) this.#turns.delete(oldest.value);
    return true;
  }

  #end({ run, kind, row }: RowChange): boolean {
    if (kind !== "turn" || row === null) return false;
    const turn = row as TurnRow;
    const held = this.#turns.get(sessionKey(run, turn.session));
    if (!held || turn.role !== "agent" || turn.kind !== "text") return false;
    const shown = { conversation: turn.task ?? turn.session, index: turn.index };
    this.#turns.set(sessionKey(run, turn.session), { ...held, row: shown });
    return true;
  }
}

const sessionKey = (run: string, session: string) => `${run}/${session}`;

function withActivity(turn: RunningTurn, activity: SessionActivity["activity"]): RunningTurn | null {
  switch (activity.type) {
    case "text":
      return { ...turn, parts: limitParts(partsWithText(turn.parts, activity.text)), trouble: null };
    case "tool":
      return { ...turn, parts: limitParts(partsWithTool(turn.parts, activity)), trouble: null };
    case "warning":
      return { ...turn, trouble: activity.text };
    case "plan":
      return null;
    default:
      return activity satisfies never;
  }
}

function partsWithText(parts: readonly RunningTurnPart[], text: string): RunningTurnPart[] {
  const last = parts.at(-1);
  if (last?.type !== "text") return [...parts, { type: "text", text }];
  return [...parts.slice(0, -1), { type: "text", text: (last.text + text).slice(-TEXT_CHARS_MAX) }];
}

function partsWithTool(
  parts: readonly RunningTurnPart[],
  { id, title, status }: Omit<RunningTurnPart & { type: "tool" }, "type">,
): RunningTurnPart[] {
  const known = parts.some((part) => part.type === "tool" && part.id === id);
  if (!known) return [...parts, { type: "tool", id, title, status }];
  return parts.map((part) =>
    part.type === "tool" && part.id === id ? { ...part, title: title || part.title, status } : part,
  );
}

const limitParts = (parts: RunningTurnPart[]): RunningTurnPart[] => parts.slice(-PARTS_MAX);
