/**
 * The one stream from the server.
 *
 * It knows the place in the log up to which everything was heard, and comes back with it: nothing is missed. Changes
 * that came while rows were being fetched are told once more, so that no table is older than the stream.
 */

import { createParser } from "eventsource-parser";
import type { Changed, Glimpsed } from "./generated";
import { type Refusal, refusal } from "./http";

export type LiveState =
  | { type: "connecting" }
  | { type: "open" }
  | { type: "offline"; since: number }
  /** The server is there and says why not now; it is asked again. */
  | { type: "busy"; refusal: Refusal }
  | { type: "refused"; refusal: Refusal };

/** The server says something at least every 15 seconds; twice as long is an end. */
const SILENCE_MAX_MS = 35_000;
/** The server has no such place, or says that it is of another log. */
const OTHER_LOG = [400, 409];
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 8_000;
/** A stream that ends is taken up again at once, but not again and again. */
const AT_ONCE_MS = 1_000;

/** One piece of news. */
export type Heard = { change: Changed } | { glimpse: Glimpsed };

type Deps = { fetch: typeof fetch; onChanges: (changes: Changed[]) => void };

export class Live {
  #position: string | null = null;
  #state: LiveState = { type: "connecting" };
  #listeners = new Set<() => void>();
  #glimpsed = new Set<(glimpse: Glimpsed) => void>();
  #recordings = new Set<Changed[]>();
  #following = new Set<(batch: readonly Heard[]) => void>();
  #batch: Heard[] = [];
  #frame: ReturnType<typeof setTimeout> | null = null;
  #stop: AbortController | null = null;
  #wake: (() => void) | null = null;
  #heard: { promise: Promise<void>; resolve: () => void } = deferred();

  constructor(private readonly deps: Deps) {}

  get state(): LiveState {
    return this.#state;
  }

  /** Resolves once the stream stands: what is fetched from then on can't miss a change. */
  get heard(): Promise<void> {
    return this.#heard.promise;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onGlimpse(listener: (glimpse: Glimpsed) => void): () => void {
    this.#glimpsed.add(listener);
    return () => this.#glimpsed.delete(listener);
  }

  /** Tells all that is heard in its order, what is of the same moment together. */
  follow(listener: (batch: readonly Heard[]) => void): () => void {
    this.#following.add(listener);
    return () => this.#following.delete(listener);
  }

  /** Fetches rows, and returns them with what changed behind their place meanwhile. */
  async fetchRows<T>(fetchRows: () => Promise<T>): Promise<{ fetched: T; missed: Changed[] }> {
    await this.heard;
    const missed: Changed[] = [];
    this.#recordings.add(missed);
    try {
      return { fetched: await fetchRows(), missed };
    } finally {
      this.#recordings.delete(missed);
    }
  }

  start(): () => void {
    const stop = new AbortController();
    this.#stop = stop;
    const wake = () => this.#wake?.();
    globalThis.addEventListener?.("online", wake);
    void this.#run(stop.signal);
    return () => {
      stop.abort();
      globalThis.removeEventListener?.("online", wake);
    };
  }

  /** Tries again now. */
  retry = (): void => {
    if (this.#state.type === "refused" && this.#stop && !this.#stop.signal.aborted) {
      this.#become({ type: "connecting" });
      void this.#run(this.#stop.signal);
    }
    this.#wake?.();
  };

  async #run(stop: AbortSignal): Promise<void> {
    let wait = RETRY_MIN_MS;
    let againAt = Number.NEGATIVE_INFINITY;
    while (!stop.aborted) {
      const heardSomething = await this.#listen(stop).catch(() => {
        if (this.#state.type === "busy") this.#become({ type: "offline", since: Date.now() });
        return false;
      });
      if (stop.aborted) return;
      if (this.#state.type === "refused") return;
      // One that was cut off for being slow, or whose tab was closed, has the server: nobody need be told.
      if (heardSomething && Date.now() - againAt > AT_ONCE_MS) {
        againAt = Date.now();
        continue;
      }
      if (this.#state.type !== "offline" && this.#state.type !== "busy")
        this.#become({ type: "offline", since: Date.now() });
      wait = heardSomething ? RETRY_MIN_MS : Math.min(wait * 2, RETRY_MAX_MS);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait * (0.75 + Math.random() / 2));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Listens until the stream ends, and tells whether anything was heard. */
  async #listen(stop: AbortSignal): Promise<boolean> {
    const end = new AbortController();
    const signal = AbortSignal.any([stop, end.signal]);
    let silence = setTimeout(() => end.abort(), SILENCE_MAX_MS);
    let heardSomething = false;
    try {
      const after = this.#position === null ? "" : `?after=${this.#position}`;
      const response = await this.deps.fetch(`/api/live${after}`, {
        signal,
        headers: { accept: "text/event-stream" },
      });
      if (!response.ok || !response.body) {
        // A place that the log does not have: another log. Everything must be fetched anew.
        if (OTHER_LOG.includes(response.status) && this.#position !== null) globalThis.location?.reload();
        const isStranger = response.status === 401 || response.status === 403;
        this.#become({ type: isStranger ? "refused" : "busy", refusal: await refusal(response) });
        return false;
      }
      const parser = createParser({ onEvent: (event) => this.#event(event.event ?? "", event.data) });
      const ids = idLines((id) => {
        this.#position = id;
        this.#heard.resolve();
      });
      const decoder = new TextDecoder();
      this.#become({ type: "open" });
      for await (const bytes of chunks(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => end.abort(), SILENCE_MAX_MS);
        heardSomething = true;
        const text = decoder.decode(bytes, { stream: true });
        parser.feed(text);
        // The parser tells ids with events only, and the first id comes without one.
        ids(text);
      }
      return heardSomething;
    } finally {
      clearTimeout(silence);
      end.abort();
    }
  }

  #event(name: string, data: string): void {
    if (name === "problem") return;
    const said: unknown = JSON.parse(data);
    if (name === "session.seen") {
      this.#batch.push({ glimpse: said as Glimpsed });
    } else {
      const change = said as Changed;
      for (const recording of this.#recordings) recording.push(change);
      this.#batch.push({ change });
    }
    // What is of the same moment is shown at once: a screen has 60 pictures a second, a run may have more news.
    this.#frame ??= setTimeout(() => this.#tell(), 16);
  }

  #tell(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#frame = null;
    const changes = batch.flatMap((heard) => ("change" in heard ? [heard.change] : []));
    if (changes.length > 0) this.deps.onChanges(changes);
    for (const listener of this.#following) listener(batch);
    for (const heard of batch) {
      if ("glimpse" in heard) for (const listener of this.#glimpsed) listener(heard.glimpse);
    }
  }

  #become(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/** Finds the ids of a stream, whatever pieces it comes in. An id counts when its event is complete. */
export function idLines(onId: (id: string) => void): (text: string) => void {
  let rest = "";
  let id: string | null = null;
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("id:")) id = line.slice(3).trim();
      else if (line.trim() === "" && id !== null) {
        onId(id);
        id = null;
      }
    }
  };
}

async function* chunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
