/** How a tab listens to the one that asks the server, and what tabs say to each other for that. */

/** How the one who asks stands with the server. */
export type Standing = "away" | "open" | "refused";

export type Message =
  | { type: "join"; who: string; after: string | null }
  /** To one who has joined; without a text where the place is not known any more. */
  | { type: "welcome"; to: string; standing: Standing; text: string | null; place: string | null }
  | { type: "text"; text: string }
  | { type: "standing"; standing: Standing };

export type Channel = Pick<BroadcastChannel, "postMessage" | "addEventListener" | "removeEventListener">;

export type Followed =
  | { type: "open"; body: ReadableStream<Uint8Array> }
  /** Nobody answers, or the one who asks is refused: everybody for themselves. */
  | { type: "alone" }
  /** The others have gone on too far since. */
  | { type: "behind"; place: string }
  | { type: "broken" };

/** A tab that has the lock and hangs says nothing. */
const ANSWER_MS = 3_000;

/** Listens to the tab that asks, from a place on, until that one's stream ends or `ends` says so. */
export function follow(channel: Channel, after: string | null, ends: AbortSignal): Promise<Followed> {
  return new Promise((resolve) => new Follower(channel, after, resolve).start(ends));
}

class Follower {
  readonly #who = crypto.randomUUID();
  readonly #encoder = new TextEncoder();
  #line: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Whether somebody has answered, who only can't reach the server now. */
  #isKnown = false;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly after: string | null,
    private readonly resolve: (followed: Followed) => void,
  ) {}

  start(ends: AbortSignal): void {
    if (ends.aborted) {
      this.#settle({ type: "broken" });
      return;
    }
    ends.addEventListener("abort", () => this.#end());
    this.channel.addEventListener("message", this.#hear);
    this.#patience = setTimeout(() => this.#settle({ type: "alone" }), ANSWER_MS);
    this.#join();
  }

  #join(): void {
    const message: Message = { type: "join", who: this.#who, after: this.after };
    this.channel.postMessage(message);
  }

  #hear = ({ data }: MessageEvent<Message>): void => {
    switch (data.type) {
      case "text":
        this.#line?.enqueue(this.#encoder.encode(data.text));
        break;
      case "standing":
        // Whatever has changed there, what was listened to is over.
        if (this.#line) this.#end();
        else this.#hearStanding(data.standing);
        break;
      case "welcome":
        if (data.to === this.#who && !this.#line) this.#hearWelcome(data);
        break;
      case "join":
        break;
    }
  };

  #hearStanding(standing: Standing): void {
    if (standing === "refused") this.#settle({ type: "alone" });
    else if (standing === "away" && this.#isKnown) this.#settle({ type: "broken" });
    // Somebody has the stream now, or has the lock and will ask.
    else this.#join();
  }

  #hearWelcome({ standing, text, place }: Message & { type: "welcome" }): void {
    this.#isKnown = true;
    clearTimeout(this.#patience);
    if (standing === "refused") this.#settle({ type: "alone" });
    else if (standing === "open" && text === null) this.#settle({ type: "behind", place: place ?? "" });
    else if (standing === "open") this.#open(text ?? "");
  }

  #open(text: string): void {
    const body = new ReadableStream<Uint8Array>({
      start: (line) => {
        line.enqueue(this.#encoder.encode(text));
        this.#line = line;
      },
    });
    this.resolve({ type: "open", body });
  }

  #end(): void {
    this.#line?.close();
    this.#line = null;
    this.#settle({ type: "broken" });
  }

  /** Says what came of it, once, and hears no more. */
  #settle(followed: Followed): void {
    clearTimeout(this.#patience);
    this.channel.removeEventListener("message", this.#hear);
    this.resolve(followed);
  }
}
