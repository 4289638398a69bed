import { expect, test } from "vitest";
import { History } from "./history";

const block = (key: string, id?: number) =>
  `event: task.changed\n${id === undefined ? "" : `id: ${id}\n`}data: {"key":"${key}"}\n\n`;
const SEEN = 'event: session.seen\ndata: {"words":"…"}\n\n';

/** A stream as a server tells it, from 811 on. */
const WHOLE = `retry: 1000\nid: 811\n\n${block("a", 812)}${SEEN}:\n\n${block("b")}${block("c", 813)}${block("d")}`;
const heard = (after: string | null, text: string) => {
  const history = new History(after);
  history.push(text);
  return history;
};

test.each([
  ["from now on, with the beginning of what goes on", null, `id: 813\n\n${block("d")}`],
  ["behind the last", "813", block("d")],
  ["behind an entry", "812", block("b") + block("c", 813) + block("d")],
  ["behind the first place", "811", block("a", 812) + block("b") + block("c", 813) + block("d")],
  ["for one who is ahead", "900", block("d")],
  ["not for one who was away before that", "700", null],
])("it is told %s", (_, place, told) => {
  expect(heard(null, WHOLE).since(place)).toBe(told);
});

test("nothing depends on where the stream is cut, and half an event is told with its rest", () => {
  for (let cut = 0; cut <= WHOLE.length; cut += 1) {
    const history = heard(null, WHOLE.slice(0, cut));
    const first = history.since(null);
    history.push(WHOLE.slice(cut));
    expect(history.since("812")).toBe(block("b") + block("c", 813) + block("d"));
    if (first !== null) {
      // Who comes in the middle, and hears the rest, is where the others are.
      const later = heard(null, first + WHOLE.slice(cut));
      expect(later.since(null)).toBe(history.since(null));
    }
  }
});

test("before the first id nobody knows the place", () => {
  expect(heard(null, "retry: 1000\n").since(null)).toBeNull();
  expect(heard("12", "").since("12")).toBe("");
});

test("however much comes, it stays small, and what is left is whole", () => {
  const history = new History("0");
  const long = "x".repeat(10_000);
  for (let id = 1; id <= 100; id += 1) history.push(block(long, id) + SEEN);
  expect(history.since("1")).toBeNull();
  expect(history.since("99")).toBe(block(long, 100));
  expect(history.since("98")).toBe(block(long, 99) + block(long, 100));
  for (let n = 0; n < 1000; n += 1) history.push(SEEN);
  expect(history.since("100")).toBe("");
});
