/** A WebSocket to a session's terminal that reconnects. */

import type { TerminalServerMessage } from "~/api/generated";

export type SocketState = "opening" | "open" | "away" | "ended";

type Socket = Pick<WebSocket, "close" | "onmessage" | "onclose">;
type TerminalSocketOptions = {
  open: () => Socket;
  onMessage: (message: Exclude<TerminalServerMessage, { type: "ended" | "problem" }>) => void;
  onState: (state: SocketState) => void;
};

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 8_000;

export class TerminalSocket {
  #socket: Socket | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #retryDelay = RETRY_MIN_MS;
  #hasEnded = false;
  /** Output that starts before this byte has been received. */
  #position = 0;

  constructor(private readonly deps: TerminalSocketOptions) {
    this.#open();
  }

  /** Connects now if it is not connected: the server is back, or the session has another process. */
  reconnect = (): void => {
    if (this.#socket) return;
    this.#hasEnded = false;
    this.#retryDelay = RETRY_MIN_MS;
    this.#open();
  };

  close(): void {
    this.#hasEnded = true;
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
      // A socket may deliver messages after it was closed.
      if (this.#socket === socket) this.#receive(JSON.parse(String(data)));
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (this.#hasEnded) return;
      this.deps.onState("away");
      this.#timer = setTimeout(() => this.#open(), this.#retryDelay);
      this.#retryDelay = Math.min(this.#retryDelay * 2, RETRY_MAX_MS);
    };
  }

  #receive(message: TerminalServerMessage): void {
    switch (message.type) {
      case "snapshot":
        this.#position = message.offset;
        this.#retryDelay = RETRY_MIN_MS;
        this.deps.onState("open");
        this.deps.onMessage(message);
        return;
      case "output":
        if (message.offset < this.#position) return;
        this.#position = message.offset + 1;
        this.deps.onMessage(message);
        return;
      case "resized":
        this.deps.onMessage(message);
        return;
      case "ended":
        this.#hasEnded = true;
        this.deps.onState("ended");
        return;
      case "problem":
        return;
    }
  }
}
