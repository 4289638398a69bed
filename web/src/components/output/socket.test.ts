import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TerminalTold } from "~/api/generated";
import { TerminalLine } from "./socket";

type Fake = {
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  close: () => void;
};

let sockets: Fake[];
let told: string[];
let states: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, told, states] = [[], [], []];
});
afterEach(() => {
  vi.useRealTimers();
});

function follow(): TerminalLine {
  return new TerminalLine({
    open: () => {
      const socket: Fake = { onmessage: null, onclose: null, close: () => {} };
      sockets.push(socket);
      return socket;
    },
    onTold: (what) => told.push("text" in what ? `${what.type} ${what.text}` : what.type),
    onState: (state) => states.push(state),
  });
}

const say = (what: TerminalTold) =>
  sockets.at(-1)?.onmessage?.(new MessageEvent("message", { data: JSON.stringify(what) }));
const cut = () => sockets.at(-1)?.onclose?.({} as CloseEvent);
const snapshot = (offset: number): TerminalTold => ({
  type: "snapshot",
  offset,
  columns: 80,
  rows: 24,
  text: `up to ${offset}`,
});
const output = (offset: number): TerminalTold => ({ type: "output", offset, text: `from ${offset}` });

test("who is cut off comes back, and sees nothing twice", () => {
  follow();
  say(snapshot(10));
  say(output(10));
  cut();
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(600);
  expect(sockets).toHaveLength(2);
  say(snapshot(25));
  say(output(10));
  say(output(20));
  say(output(25));
  say(output(25));
  say(output(31));
  expect(told).toEqual(
    ["snapshot up to 10", "from 10", "snapshot up to 25", "from 25", "from 31"].map((line) =>
      line.startsWith("from") ? `output ${line}` : line,
    ),
  );
  expect(states).toEqual(["open", "away", "open"]);
});

test("it is tried less and less often, and at once when the server is back", () => {
  const line = follow();
  for (let n = 0; n < 8; n += 1) {
    cut();
    vi.advanceTimersByTime(8_000);
  }
  expect(sockets).toHaveLength(9);
  cut();
  vi.advanceTimersByTime(7_000);
  expect(sockets).toHaveLength(9);
  line.again();
  expect(sockets).toHaveLength(10);
  line.again();
  expect(sockets).toHaveLength(10);
});

test("what has ended is left alone, unless there is another process", () => {
  const line = follow();
  say(snapshot(10));
  say({ type: "ended" });
  cut();
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
  expect(states).toEqual(["open", "ended"]);
  line.again();
  expect(sockets).toHaveLength(2);
});

test("one who has left hears nothing more", () => {
  const line = follow();
  line.close();
  say(snapshot(10));
  cut();
  vi.advanceTimersByTime(60_000);
  expect([told, sockets.length]).toEqual([[], 1]);
});
