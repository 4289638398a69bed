import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TerminalServerMessage } from "~/api/generated";
import { TerminalSocket } from "./terminalSocket";

type FakeSocket = {
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  close: () => void;
};

let sockets: FakeSocket[];
let messages: string[];
let states: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, messages, states] = [[], [], []];
});
afterEach(() => {
  vi.useRealTimers();
});

function openTerminalSocket(): TerminalSocket {
  return new TerminalSocket({
    open: () => {
      const socket: FakeSocket = { onmessage: null, onclose: null, close: () => {} };
      sockets.push(socket);
      return socket;
    },
    onMessage: (message) =>
      messages.push("text" in message ? `${message.type} ${message.text}` : message.type),
    onState: (state) => states.push(state),
  });
}

const deliverMessage = (message: TerminalServerMessage) =>
  sockets.at(-1)?.onmessage?.(new MessageEvent("message", { data: JSON.stringify(message) }));
const breakConnection = () => sockets.at(-1)?.onclose?.({} as CloseEvent);
const snapshotMessage = (offset: number): TerminalServerMessage => ({
  type: "snapshot",
  offset,
  columns: 80,
  rows: 24,
  text: `up to ${offset}`,
});
const outputMessage = (offset: number): TerminalServerMessage => ({
  type: "output",
  offset,
  text: `from ${offset}`,
});

test("a broken connection is restored, and no output is delivered twice", () => {
  openTerminalSocket();
  deliverMessage(snapshotMessage(10));
  deliverMessage(outputMessage(10));
  breakConnection();
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(600);
  expect(sockets).toHaveLength(2);
  deliverMessage(snapshotMessage(25));
  deliverMessage(outputMessage(10));
  deliverMessage(outputMessage(20));
  deliverMessage(outputMessage(25));
  deliverMessage(outputMessage(25));
  deliverMessage(outputMessage(31));
  expect(messages).toEqual(
    ["snapshot up to 10", "from 10", "snapshot up to 25", "from 25", "from 31"].map((line) =>
      line.startsWith("from") ? `output ${line}` : line,
    ),
  );
  expect(states).toEqual(["open", "away", "open"]);
});

test("retries get less frequent, and reconnecting is immediate when the server is back", () => {
  const socket = openTerminalSocket();
  for (let n = 0; n < 8; n += 1) {
    breakConnection();
    vi.advanceTimersByTime(8_000);
  }
  expect(sockets).toHaveLength(9);
  breakConnection();
  vi.advanceTimersByTime(7_000);
  expect(sockets).toHaveLength(9);
  socket.reconnect();
  expect(sockets).toHaveLength(10);
  socket.reconnect();
  expect(sockets).toHaveLength(10);
});

test("an ended session is not retried, unless there is another process", () => {
  const socket = openTerminalSocket();
  deliverMessage(snapshotMessage(10));
  deliverMessage({ type: "ended" });
  breakConnection();
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
  expect(states).toEqual(["open", "ended"]);
  socket.reconnect();
  expect(sockets).toHaveLength(2);
});

test("a closed connection delivers nothing more", () => {
  const socket = openTerminalSocket();
  socket.close();
  deliverMessage(snapshotMessage(10));
  breakConnection();
  vi.advanceTimersByTime(60_000);
  expect([messages, sockets.length]).toEqual([[], 1]);
});
