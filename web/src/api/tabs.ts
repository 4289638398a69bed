/**
 * One stream for all tabs of a browser, which has only six connections to a server.
 *
 * The tab that holds the lock asks the server and tells the others every piece of text as it comes. To `Live` it looks in
 * every tab as if the server had answered: a tab that comes, or comes back, names its place in the log and hears what is
 * behind it. When the tab with the lock goes, another one gets it and goes on from its own place. Whoever gets no answer,
 * or is too far behind, asks the server by itself: nothing is lost, it only costs a connection.
 */

import { type Channel, follow, type Message, type Standing } from "./following";
import { History } from "./history";

type Deps = { fetch: typeof fetch; channel: Channel; locks: Pick<LockManager, "request"> };

const NAME = "jangdan.live";

/** Returns what asks for the stream: with the other tabs where the browser can, else alone. */
export function fetchAmongTabs(): typeof fetch {
  const own: typeof fetch = (...request) => fetch(...request);
  const { locks } = globalThis.navigator ?? {};
  if (!locks || !("BroadcastChannel" in globalThis)) return own;
  return new TabStream({ fetch: own, channel: new BroadcastChannel(NAME), locks }).fetch;
}

export class TabStream {
  #leads = false;
  #standing: Standing = "away";
  #history = new History(null);
  /** Ends what this tab listens to, when it gets the lock itself. */
  #leave = new AbortController();
  #release = () => {};
  #isClosed = false;

  constructor(private readonly deps: Deps) {
    deps.channel.addEventListener("message", this.#answer);
    const held = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    void deps.locks.request(NAME, async () => {
      if (this.#isClosed) return;
      this.#leads = true;
      this.#become("away");
      this.#leave.abort();
      return held;
    });
  }

  /** Gives the lock away, as a tab that is closed does. */
  close(): void {
    this.#isClosed = true;
    this.deps.channel.removeEventListener("message", this.#answer);
    this.#release();
  }

  fetch: typeof fetch = async (input, init = {}) => {
    const after = new URL(String(input), "http://jangdan").searchParams.get("after");
    const signal = init.signal ?? new AbortController().signal;
    if (this.#leads) return this.#ask(after, input, init, signal);
    const ends = AbortSignal.any([signal, this.#leave.signal]);
    const followed = await follow(this.deps.channel, after, ends);
    if (this.#leads) return this.#ask(after, input, init, signal);
    switch (followed.type) {
      case "open":
        return new Response(followed.body);
      case "alone":
        return this.deps.fetch(input, init);
      case "behind":
        return until(await this.deps.fetch(input, init), followed.place);
      case "broken":
        throw new TypeError("the stream of another tab broke off");
    }
  };

  /** Asks the server, and tells the others. */
  async #ask(
    after: string | null,
    input: Parameters<typeof fetch>[0],
    init: RequestInit,
    signal: AbortSignal,
  ) {
    const response = await this.deps.fetch(input, init).catch((error: unknown) => {
      this.#become("away");
      throw error;
    });
    if (!response.ok || !response.body) {
      this.#become("refused");
      return response;
    }
    const history = new History(after);
    this.#history = history;
    const decoder = new TextDecoder();
    if (after !== null) this.#become("open");
    const told = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        const text = decoder.decode(bytes, { stream: true });
        history.push(text);
        if (this.#standing === "open") this.#post({ type: "text", text });
        else if (history.place !== null) this.#become("open");
        controller.enqueue(bytes);
      },
      flush: () => end(),
    });
    const end = () => {
      if (this.#history === history && this.#standing === "open") this.#become("away");
    };
    // Where it breaks off in the middle, who reads it gives up.
    signal.addEventListener("abort", end);
    return new Response(response.body.pipeThrough(told), { headers: response.headers });
  }

  #become(standing: Standing): void {
    this.#standing = standing;
    this.#post({ type: "standing", standing });
  }

  #post(message: Message): void {
    if (!this.#isClosed) this.deps.channel.postMessage(message);
  }

  #answer = ({ data }: MessageEvent<Message>): void => {
    if (!this.#leads || data.type !== "join") return;
    const isOpen = this.#standing === "open";
    const text = isOpen ? this.#history.since(data.after) : null;
    const { place } = this.#history;
    this.#post({ type: "welcome", to: data.who, standing: this.#standing, text, place });
  };
}

/** A stream that ends once it has reached a place: from there on the others have it. */
function until(response: Response, place: string): Response {
  if (!response.ok || !response.body) return response;
  const history = new History(null);
  const decoder = new TextDecoder();
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform: (bytes, controller) => {
      controller.enqueue(bytes);
      history.push(decoder.decode(bytes, { stream: true }));
      if (Number(history.place) >= Number(place)) controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(cut), { headers: response.headers });
}
