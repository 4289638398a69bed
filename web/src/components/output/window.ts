/**
 * A part of what went to and fro between a session and whoever speaks with it: first its end, then earlier parts as
 * they are wanted, and what comes. However much there is, only so much of it is held.
 */

import type { SessionRecords } from "~/api/generated";
import { type Entry, toEntries } from "./entries";

export type WindowState = {
  status: "loading" | "ready" | "failed";
  error?: unknown;
  entries: readonly Entry[];
  hasTerminal: boolean;
  hasEarlier: boolean;
  /** Whether there is more behind it that was let go. */
  hasLater: boolean;
  isOver: boolean;
  /** The last that was written, as it is. */
  tail: string;
};

export type Wanted = { process?: number; after?: number; before?: number; limit: number };
type Fetch = (wanted: Wanted) => Promise<SessionRecords>;

const PIECE_BYTES = 128 << 10;
/** How much is held: some thousand lines, which no browser minds. */
const HELD_BYTES_MAX = 1 << 20;

export class RecordWindow {
  #answers: SessionRecords[] = [];
  #newest = 0;
  /** Whether what is held ends where everything does, as far as was seen. */
  #isTail = true;
  #isBusy = false;
  #state: WindowState = {
    status: "loading",
    entries: [],
    hasTerminal: true,
    hasEarlier: false,
    hasLater: false,
    isOver: false,
    tail: "",
  };
  #listeners = new Set<() => void>();

  constructor(
    private readonly fetch: Fetch,
    private readonly heldBytesMax = HELD_BYTES_MAX,
    private readonly pieceBytes = PIECE_BYTES,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): WindowState => this.#state;

  /** Fetches the end of it, whatever was held. */
  start = (): Promise<void> =>
    this.#ask({ limit: this.pieceBytes }, (answer) => {
      this.#newest = answer.process;
      this.#answers = [answer];
      this.#isTail = true;
    });

  /** Fetches what came since, or what was let go at the end. */
  later = (): Promise<void> => {
    const last = this.#answers.at(-1);
    if (!last) return this.start();
    const isNext = last.isOver && last.process < this.#newest;
    if (last.isOver && !isNext) return Promise.resolve();
    const place = isNext
      ? { process: last.process + 1, after: 0 }
      : { process: last.process, after: last.next };
    return this.#ask({ ...place, limit: this.pieceBytes }, (answer) => {
      if (answer.records.length === 0 && !isNext)
        this.#answers.splice(-1, 1, { ...last, isOver: answer.isOver });
      else this.#answers.push(answer);
      // A piece that is not full is the last; the rest of a character can be missing in one that is.
      this.#isTail = answer.isOver || answer.next - answer.offset < this.pieceBytes - 3;
      while (this.#bytes() > this.heldBytesMax && this.#answers.length > 1) this.#answers.shift();
    });
  };

  /** Fetches what came before. */
  earlier = (): Promise<void> => {
    const first = this.#answers.at(0);
    const place = first && earlierPlace(first);
    if (!place) return Promise.resolve();
    return this.#ask({ ...place, limit: this.pieceBytes }, (answer) => {
      this.#answers.unshift(answer);
      while (this.#bytes() > this.heldBytesMax && this.#answers.length > 1) {
        this.#answers.pop();
        this.#isTail = false;
      }
    });
  };

  /** A process that is over may have another behind it. */
  async again(): Promise<void> {
    if (this.#state.status !== "ready" || this.#state.isOver) await this.start();
  }

  #bytes(): number {
    return this.#answers.reduce((sum, { offset, next }) => sum + next - offset, 0);
  }

  async #ask(wanted: Wanted, take: (answer: SessionRecords) => void): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      take(await this.fetch(wanted));
      this.#show();
    } catch (error) {
      // What is there stays; only where nothing is there yet is it told instead.
      if (this.#answers.length === 0) this.#become({ ...this.#state, status: "failed", error });
    } finally {
      this.#isBusy = false;
    }
  }

  #show(): void {
    const first = this.#answers.at(0);
    const last = this.#answers.at(-1);
    if (!first || !last) return;
    const isNewest = last.process === this.#newest;
    this.#become({
      status: "ready",
      entries: toEntries(this.#answers),
      hasTerminal: last.hasTerminal,
      hasEarlier: earlierPlace(first) !== null,
      hasLater: !isNewest || !this.#isTail,
      isOver: last.isOver && isNewest,
      tail: last.records.map(({ way, text }) => (way === "input" ? "" : text)).join(""),
    });
  }

  #become(state: WindowState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function earlierPlace({ process, offset, first }: SessionRecords): Omit<Wanted, "limit"> | null {
  if (offset > first) return { process, before: offset };
  return process > 1 ? { process: process - 1 } : null;
}
