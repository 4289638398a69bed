/**
 * One connection to the server's event stream, shared by any number of tabs.
 *
 * It reconnects with the last position that it received, so no change is lost. It runs in a shared worker, or in the tab
 * itself where the browser has no shared workers; `live.ts` is the tab's end of a port.
 */

import { createParser } from "eventsource-parser";
import type { RowChange, SessionActivity } from "./generated";
import { parseVisible } from "./hiddenCharacters";

export type StreamState =
  | { type: "connecting" }
  | { type: "open" }
  | { type: "offline"; since: number }
  /** The server answers, but not with the stream; it is asked again. */
  | { type: "busy"; status: number; body: string }
  /** The server is asked again when a tab says so. */
  | { type: "signedOut"; status: number; body: string };

/** A row that changed, or what an agent says or does at this moment. */
export type StreamEvent = { change: RowChange } | { activity: SessionActivity };

export type StreamMessage =
  | { type: "state"; state: StreamState }
  /** The position is known: rows that are fetched from now on cannot miss a change. */
  | { type: "ready" }
  | { type: "events"; events: StreamEvent[] }
  /** The server has another log than before: everything must be fetched again. */
  | { type: "logReplaced" };

export type TabMessage = "retry" | "leave";

/** The server sends something at least every 15 seconds; twice as long means that the connection is dead. */
const SILENCE_MAX_MS = 35_000;
/** The server does not have this position, or says that it belongs to another log. */
const OTHER_LOG = [400, 409];
const SIGNED_OUT = [401, 403];
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 8_000;
/** A stream that ends is resumed at once, but at most this often. */
const RESUME_INTERVAL_MS = 1_000;

export class EventStream {
  readonly #ports = new Set<MessagePort>();
  #state: StreamState = { type: "connecting" };
  #position: string | null = null;
  #stop: AbortController | null = null;
  #wake = () => {};

  constructor(private readonly fetch: typeof globalThis.fetch) {
    globalThis.addEventListener?.("online", () => this.#wake());
  }

  /** Sends the stream to a tab until the tab leaves. The stream ends with its last tab. */
  connect(port: MessagePort): void {
    this.#ports.add(port);
    port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data === "leave") this.#leave(port);
      else this.#wake();
    };
    if (this.#state.type !== "connecting") postToTab(port, { type: "state", state: this.#state });
    if (this.#position !== null) postToTab(port, { type: "ready" });
    // The page of this tab was just loaded, so the server is likely to answer.
    this.#wake();
    if (this.#stop) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  #leave(port: MessagePort): void {
    this.#ports.delete(port);
    if (this.#ports.size > 0) return;
    this.#stop?.abort();
    this.#stop = null;
    this.#wake();
    this.#position = null;
    this.#state = { type: "connecting" };
  }

  async #run(stop: AbortSignal): Promise<void> {
    let delay = RETRY_MIN_MS;
    let resumedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      const outcome = await this.#read(stop).catch(() => "failed" as const);
      if (stop.aborted) return;
      // The server cuts off a client that is slow; that is not worth a message.
      if (outcome === "ended" && Date.now() - resumedAt > RESUME_INTERVAL_MS) {
        resumedAt = Date.now();
        continue;
      }
      if (outcome !== "rejected" && this.#state.type !== "offline")
        this.#setState({ type: "offline", since: Date.now() });
      delay = outcome === "ended" ? RETRY_MIN_MS : Math.min(delay * 2, RETRY_MAX_MS);
      const isSignedOut = this.#state.type === "signedOut";
      await this.#wait(isSignedOut ? null : delay * (0.75 + Math.random() / 2));
      if (stop.aborted) return;
      if (isSignedOut) this.#setState({ type: "connecting" });
    }
  }

  #wait(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Reads the stream until it ends. */
  async #read(stop: AbortSignal): Promise<"ended" | "rejected" | "failed"> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
    try {
      const after = this.#position === null ? "" : `?after=${this.#position}`;
      const response = await this.fetch(`/api/live${after}`, {
        signal: AbortSignal.any([stop, silence.signal]),
        headers: { accept: "text/event-stream" },
      });
      if (!response.ok || !response.body) {
        if (OTHER_LOG.includes(response.status) && this.#position !== null) {
          this.#position = null;
          this.#post({ type: "logReplaced" });
        }
        const type = SIGNED_OUT.includes(response.status) ? "signedOut" : "busy";
        this.#setState({ type, status: response.status, body: await response.text().catch(() => "") });
        return "rejected";
      }
      let events: StreamEvent[] = [];
      const parser = createParser({
        onEvent: ({ event, data }) => {
          if (event === "session.activity") events.push({ activity: parseVisible(data) });
          else if (event !== "problem") events.push({ change: parseVisible(data) });
        },
      });
      // The parser reports ids with events only, and the first id comes without one.
      const findIds = createEventIdParser((id) => {
        const isFirst = this.#position === null;
        this.#position = id;
        if (isFirst) this.#post({ type: "ready" });
      });
      this.#setState({ type: "open" });
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      for (let outcome: "ended" | "failed" = "failed"; ; outcome = "ended") {
        const { done, value } = await reader.read();
        if (done) return outcome;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MAX_MS);
        const text = decoder.decode(value, { stream: true });
        parser.feed(text);
        if (events.length > 0) this.#post({ type: "events", events });
        events = [];
        findIds(text);
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  #setState(state: StreamState): void {
    this.#state = state;
    this.#post({ type: "state", state });
  }

  #post(message: StreamMessage): void {
    for (const port of this.#ports) postToTab(port, message);
  }
}

const postToTab = (port: MessagePort, message: StreamMessage) => port.postMessage(message);

/** Finds the ids of a stream, whatever pieces it comes in. An id counts when its event is complete. */
export function createEventIdParser(onId: (id: string) => void): (text: string) => void {
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
