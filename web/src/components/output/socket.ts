/** Follows a session's terminal, and comes back when the server does. */

import type { TerminalTold } from "~/api/generated";

/** How it stands with the line to the server. */
export type LineState = "opening" | "open" | "away" | "ended";

type Socket = Pick<WebSocket, "close" | "onmessage" | "onclose">;
type Deps = {
  open: () => Socket;
  onTold: (told: Exclude<TerminalTold, { type: "ended" | "problem" }>) => void;
  onState: (state: LineState) => void;
};

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 8_000;

export class TerminalLine {
  #socket: Socket | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #wait = RETRY_MIN_MS;
  #isOver = false;
  /** What begins before this byte is drawn already. */
  #position = 0;

  constructor(private readonly deps: Deps) {
    this.#open();
  }

  /** Looks again now: the server is back, or the session has another process. */
  again = (): void => {
    if (this.#socket) return;
    this.#isOver = false;
    this.#wait = RETRY_MIN_MS;
    this.#open();
  };

  close(): void {
    this.#isOver = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#socket?.close();
    this.#socket = null;
  }

  #open(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const socket = this.deps.open();
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      // A socket that was closed may still have something to say.
      if (this.#socket === socket) this.#hear(JSON.parse(String(data)));
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (this.#isOver) return;
      this.deps.onState("away");
      this.#timer = setTimeout(() => this.#open(), this.#wait);
      this.#wait = Math.min(this.#wait * 2, RETRY_MAX_MS);
    };
  }

  #hear(told: TerminalTold): void {
    switch (told.type) {
      case "snapshot":
        this.#position = told.offset;
        this.#wait = RETRY_MIN_MS;
        this.deps.onState("open");
        this.deps.onTold(told);
        return;
      case "output":
        if (told.offset < this.#position) return;
        this.#position = told.offset + 1;
        this.deps.onTold(told);
        return;
      case "resized":
        this.deps.onTold(told);
        return;
      case "ended":
        this.#isOver = true;
        this.deps.onState("ended");
        return;
      case "problem":
        return;
    }
  }
}
