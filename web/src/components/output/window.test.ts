import { beforeEach, expect, test } from "vitest";
import type { SessionRecords } from "~/api/generated";
import { RecordWindow, type Wanted } from "./window";

/** Processes that wrote numbered lines of ten bytes, asked as the server is. */
let processes: { n: number; isOver: boolean }[];
let asked: number;

beforeEach(() => {
  processes = [{ n: 100, isOver: false }];
  asked = 0;
});

async function fetch({ process = processes.length, after, before, limit }: Wanted): Promise<SessionRecords> {
  asked += 1;
  const { n, isOver } = processes[process - 1] ?? { n: 0, isOver: false };
  const from = after ?? Math.max((before ?? n * 10) - limit, 0);
  const to = Math.min(before ?? n * 10, from + limit);
  const text = Array.from({ length: n }, (_, i) => `${process}:${String(i).padStart(7, "0")}\n`)
    .join("")
    .slice(from, to);
  return {
    process,
    hasTerminal: false,
    first: 0,
    offset: from,
    next: to,
    isOver: isOver && to === n * 10,
    records: text === "" ? [] : [{ way: "output", offset: from, at: 1, text }],
  };
}

const open = async (held = 400) => {
  const held_ = new RecordWindow(fetch, held, 100);
  await held_.start();
  return held_;
};
const shown = (window: RecordWindow) => window.state().entries.map(({ text }) => text.slice(-3));

test("it begins with the end, and goes back as far as is wanted", async () => {
  const window = await open();
  expect([shown(window).at(0), shown(window).at(-1)]).toEqual(["090", "099"]);
  await window.earlier();
  expect(shown(window).at(0)).toBe("080");
  expect(window.state().hasEarlier).toBe(true);
});

test("however far somebody goes back, only so much is held, and nothing is missing", async () => {
  const window = await open();
  for (let n = 0; window.state().hasEarlier && n < 50; n += 1) await window.earlier();
  expect([shown(window).at(0), shown(window).length, window.state().hasLater]).toEqual(["000", 40, true]);
  for (let n = 0; window.state().hasLater && n < 50; n += 1) {
    await window.later();
    const numbers = shown(window).map(Number);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    expect(numbers.length).toBeLessThanOrEqual(40);
  }
  expect(shown(window).at(-1)).toBe("099");
});

test("what comes is added, and looking in vain changes nothing", async () => {
  const window = await open();
  const before = window.state().entries.length;
  for (let n = 0; n < 20; n += 1) await window.later();
  expect(window.state().entries.length).toBe(before);
  processes = [{ n: 102, isOver: true }];
  await window.later();
  expect(shown(window).slice(-3)).toEqual(["099", "100", "101"]);
  expect(window.state().isOver).toBe(true);
  const n = asked;
  await window.later();
  expect(asked).toBe(n);
});

test("before a process there is the one before it, and behind one that is over the next", async () => {
  processes = [
    { n: 5, isOver: true },
    { n: 5, isOver: true },
  ];
  const window = await open(60);
  await window.earlier();
  expect(window.state().entries.map(({ text }) => text[0])).toEqual(["1", "1", "1", "1", "1"]);
  expect([window.state().hasEarlier, window.state().hasLater, window.state().isOver]).toEqual([
    false,
    true,
    false,
  ]);
  await window.later();
  expect(window.state().entries.at(-1)?.text).toBe("2:0000004");
  processes.push({ n: 1, isOver: false });
  await window.again();
  expect(window.state().entries.at(-1)?.text).toBe("3:0000000");
});

test("what can't be fetched is told where nothing is there, and otherwise tried again", async () => {
  let isBroken = true;
  const window = new RecordWindow(
    (wanted) => (isBroken ? Promise.reject(new Error("gone")) : fetch(wanted)),
    400,
    100,
  );
  await window.start();
  expect(window.state()).toMatchObject({ status: "failed", error: new Error("gone") });
  isBroken = false;
  await window.again();
  expect(window.state().status).toBe("ready");
  isBroken = true;
  await window.later();
  expect(window.state().entries).toHaveLength(10);
});
