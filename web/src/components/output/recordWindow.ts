/**
 * A window over the input and output of a session: first its end, then earlier parts on demand, and new output. The window
 * has a maximum size, however long the session is.
 */

import type { SessionRecords } from "~/api/generated";
import { type MessageLogEntry, toMessageLogEntries } from "./logEntries";

export type RecordWindowState = {
  status: "loading" | "ready" | "failed";
  error?: unknown;
  entries: readonly MessageLogEntry[];
  hasTerminal: boolean;
  hasEarlier: boolean;
  /** Whether later records were dropped from the window. */
  hasLater: boolean;
  hasEnded: boolean;
  /** The end of the output, unparsed. */
  tail: string;
};

export type RecordRange = { process?: number; after?: number; before?: number; limit: number };
type FetchRecords = (range: RecordRange) => Promise<SessionRecords>;

const CHUNK_BYTES = 128 << 10;
/** Some thousand lines. */
const WINDOW_BYTES_MAX = 1 << 20;

export class RecordWindow {
  #answers: SessionRecords[] = [];
  #newest = 0;
  /** Whether the window ends at the end of the records, as far as known. */
  #isTail = true;
  #isBusy = false;
  #state: RecordWindowState = {
    status: "loading",
    entries: [],
    hasTerminal: true,
    hasEarlier: false,
    hasLater: false,
    hasEnded: false,
    tail: "",
  };
  #listeners = new Set<() => void>();

  constructor(
    private readonly fetch: FetchRecords,
    private readonly windowBytesMax = WINDOW_BYTES_MAX,
    private readonly chunkBytes = CHUNK_BYTES,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  state = (): RecordWindowState => this.#state;

  /** Replaces the window by the end of the records. */
  start = (): Promise<void> =>
    this.#load({ limit: this.chunkBytes }, (answer) => {
      this.#newest = answer.process;
      this.#answers = [answer];
      this.#isTail = true;
    });

  /** Fetches records after the window: new ones, or those that were dropped. */
  loadLater = (): Promise<void> => {
    const last = this.#answers.at(-1);
    if (!last) return this.start();
    const isNext = last.hasEnded && last.process < this.#newest;
    if (last.hasEnded && !isNext) return Promise.resolve();
    const range = isNext
      ? { process: last.process + 1, after: 0 }
      : { process: last.process, after: last.next };
    return this.#load({ ...range, limit: this.chunkBytes }, (answer) => {
      if (answer.records.length === 0 && !isNext)
        this.#answers.splice(-1, 1, { ...last, hasEnded: answer.hasEnded });
      else this.#answers.push(answer);
      // A chunk that is not full is the last one; a full one may lack the last bytes of a character.
      this.#isTail = answer.hasEnded || answer.next - answer.offset < this.chunkBytes - 3;
      while (this.#bytes() > this.windowBytesMax && this.#answers.length > 1) this.#answers.shift();
    });
  };

  /** Fetches records before the window. */
  loadEarlier = (): Promise<void> => {
    const first = this.#answers.at(0);
    const range = first && earlierRange(first);
    if (!range) return Promise.resolve();
    return this.#load({ ...range, limit: this.chunkBytes }, (answer) => {
      this.#answers.unshift(answer);
      while (this.#bytes() > this.windowBytesMax && this.#answers.length > 1) {
        this.#answers.pop();
        this.#isTail = false;
      }
    });
  };

  /** Looks for another process after one that has ended. */
  async refresh(): Promise<void> {
    if (this.#state.status !== "ready" || this.#state.hasEnded) await this.start();
  }

  #bytes(): number {
    return this.#answers.reduce((sum, { offset, next }) => sum + next - offset, 0);
  }

  async #load(range: RecordRange, add: (answer: SessionRecords) => void): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      add(await this.fetch(range));
      this.#update();
    } catch (error) {
      // An error is shown only if there is nothing to show.
      if (this.#answers.length === 0) this.#setState({ ...this.#state, status: "failed", error });
    } finally {
      this.#isBusy = false;
    }
  }

  #update(): void {
    const first = this.#answers.at(0);
    const last = this.#answers.at(-1);
    if (!first || !last) return;
    const isNewest = last.process === this.#newest;
    this.#setState({
      status: "ready",
      entries: toMessageLogEntries(this.#answers),
      hasTerminal: last.hasTerminal,
      hasEarlier: earlierRange(first) !== null,
      hasLater: !isNewest || !this.#isTail,
      hasEnded: last.hasEnded && isNewest,
      tail: last.records.map(({ direction, text }) => (direction === "input" ? "" : text)).join(""),
    });
  }

  #setState(state: RecordWindowState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function earlierRange({ process, offset, first }: SessionRecords): Omit<RecordRange, "limit"> | null {
  if (offset > first) return { process, before: offset };
  return process > 1 ? { process: process - 1 } : null;
}
