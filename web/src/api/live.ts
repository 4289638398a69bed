/**
 * The tab's end of the event stream.
 *
 * Changes that arrive while rows are being fetched are recorded and applied on top of them, so no table is older than the
 * stream.
 */

import type { StreamEvent, StreamMessage, StreamState, TabMessage } from "./eventStream";
import type { RowChange, SessionActivity } from "./generated";
import { type ApiError, toApiError } from "./http";

export type ConnectionState =
  | Exclude<StreamState, { status: number }>
  | { type: "busy" | "signedOut"; error: ApiError };

type LiveUpdatesOptions = {
  connect: (onPort: (port: MessagePort) => void) => void;
  onChanges: (changes: RowChange[]) => void;
};

export class LiveUpdates {
  #state: ConnectionState = { type: "connecting" };
  #listeners = new Set<() => void>();
  #activityListeners = new Set<(activity: SessionActivity) => void>();
  #eventListeners = new Set<(batch: readonly StreamEvent[]) => void>();
  #recordings = new Set<RowChange[]>();
  #batch: StreamEvent[] = [];
  #frame: ReturnType<typeof setTimeout> | null = null;
  #port: MessagePort | null = null;
  #ready = createDeferred();

  constructor(private readonly deps: LiveUpdatesOptions) {}

  get state(): ConnectionState {
    return this.#state;
  }

  /** Resolves once the position in the log is known: what is fetched from then on cannot miss a change. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onActivity(listener: (activity: SessionActivity) => void): () => void {
    this.#activityListeners.add(listener);
    return () => this.#activityListeners.delete(listener);
  }

  /** Passes on all events in order, in batches of one frame of the screen. */
  onEvents(listener: (batch: readonly StreamEvent[]) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** Fetches rows, and returns them with the changes that arrived meanwhile. */
  async fetchRows<T>(fetchRows: () => Promise<T>): Promise<{ fetched: T; missed: RowChange[] }> {
    await this.ready;
    const missed: RowChange[] = [];
    this.#recordings.add(missed);
    try {
      return { fetched: await fetchRows(), missed };
    } finally {
      this.#recordings.delete(missed);
    }
  }

  start(): () => void {
    this.deps.connect((port) => {
      this.#port = port;
      port.onmessage = ({ data }: MessageEvent<StreamMessage>) => this.#receive(data);
    });
    const leave = () => this.#send("leave");
    globalThis.addEventListener?.("pagehide", leave);
    // The browser kept the page in memory, and it missed changes there.
    globalThis.addEventListener?.("pageshow", ({ persisted }) => persisted && location.reload());
    return leave;
  }

  /** Reconnects now instead of at the next attempt. */
  retry = (): void => this.#send("retry");

  #send(message: TabMessage): void {
    this.#port?.postMessage(message);
  }

  #receive(message: StreamMessage): void {
    switch (message.type) {
      case "state":
        this.#state = toConnectionState(message.state);
        for (const listener of this.#listeners) listener();
        break;
      case "ready":
        this.#ready.resolve();
        break;
      case "events":
        this.#queue(message.events);
        break;
      case "logReplaced":
        globalThis.location?.reload();
        break;
    }
  }

  #queue(events: readonly StreamEvent[]): void {
    for (const event of events) {
      this.#batch.push(event);
      if ("change" in event) for (const recording of this.#recordings) recording.push(event.change);
    }
    // A screen shows 60 frames a second, and a run may have more events.
    this.#frame ??= setTimeout(() => this.#flush(), 16);
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#frame = null;
    const changes = batch.flatMap((event) => ("change" in event ? [event.change] : []));
    if (changes.length > 0) this.deps.onChanges(changes);
    for (const listener of this.#eventListeners) listener(batch);
    for (const event of batch) {
      if ("activity" in event) for (const listener of this.#activityListeners) listener(event.activity);
    }
  }
}

function toConnectionState(state: StreamState): ConnectionState {
  if (state.type !== "busy" && state.type !== "signedOut") return state;
  return { type: state.type, error: toApiError(state.status, state.body) };
}

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
