import { beforeEach, expect, test } from "vitest";
import type { SessionRecords } from "~/api/generated";
import { type RecordRange, RecordWindow } from "./recordWindow";

/** Processes that wrote numbered lines of ten bytes. */
let processes: { n: number; hasEnded: boolean }[];
let nRequests: number;

beforeEach(() => {
  processes = [{ n: 100, hasEnded: false }];
  nRequests = 0;
});

async function fetchFakeRecords({
  process = processes.length,
  after,
  before,
  limit,
}: RecordRange): Promise<SessionRecords> {
  nRequests += 1;
  const { n, hasEnded } = processes[process - 1] ?? { n: 0, hasEnded: false };
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
    hasEnded: hasEnded && to === n * 10,
    records: text === "" ? [] : [{ direction: "output", offset: from, at: 1, text }],
  };
}

const openWindow = async (windowBytesMax = 400) => {
  const window = new RecordWindow(fetchFakeRecords, windowBytesMax, 100);
  await window.start();
  return window;
};
const shownLineNumbers = (window: RecordWindow) => window.state().entries.map(({ text }) => text.slice(-3));

test("the window starts with the end, and loads earlier records on demand", async () => {
  const window = await openWindow();
  expect([shownLineNumbers(window).at(0), shownLineNumbers(window).at(-1)]).toEqual(["090", "099"]);
  await window.loadEarlier();
  expect(shownLineNumbers(window).at(0)).toBe("080");
  expect(window.state().hasEarlier).toBe(true);
});

test("the window has a maximum size and no gaps, however far it moves back", async () => {
  const window = await openWindow();
  for (let n = 0; window.state().hasEarlier && n < 50; n += 1) await window.loadEarlier();
  expect([shownLineNumbers(window).at(0), shownLineNumbers(window).length, window.state().hasLater]).toEqual([
    "000",
    40,
    true,
  ]);
  for (let n = 0; window.state().hasLater && n < 50; n += 1) {
    await window.loadLater();
    const numbers = shownLineNumbers(window).map(Number);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    expect(numbers.length).toBeLessThanOrEqual(40);
  }
  expect(shownLineNumbers(window).at(-1)).toBe("099");
});

test("new records are added, and loading without new ones changes nothing", async () => {
  const window = await openWindow();
  const before = window.state().entries.length;
  for (let n = 0; n < 20; n += 1) await window.loadLater();
  expect(window.state().entries.length).toBe(before);
  processes = [{ n: 102, hasEnded: true }];
  await window.loadLater();
  expect(shownLineNumbers(window).slice(-3)).toEqual(["099", "100", "101"]);
  expect(window.state().hasEnded).toBe(true);
  const n = nRequests;
  await window.loadLater();
  expect(nRequests).toBe(n);
});

test("the window moves to the previous process, and after the end of one to the next", async () => {
  processes = [
    { n: 5, hasEnded: true },
    { n: 5, hasEnded: true },
  ];
  const window = await openWindow(60);
  await window.loadEarlier();
  expect(window.state().entries.map(({ text }) => text[0])).toEqual(["1", "1", "1", "1", "1"]);
  expect([window.state().hasEarlier, window.state().hasLater, window.state().hasEnded]).toEqual([
    false,
    true,
    false,
  ]);
  await window.loadLater();
  expect(window.state().entries.at(-1)?.text).toBe("2:0000004");
  processes.push({ n: 1, hasEnded: false });
  await window.refresh();
  expect(window.state().entries.at(-1)?.text).toBe("3:0000000");
});

test("a failed request is an error only while the window is empty", async () => {
  let isBroken = true;
  const window = new RecordWindow(
    (range) => (isBroken ? Promise.reject(new Error("gone")) : fetchFakeRecords(range)),
    400,
    100,
  );
  await window.start();
  expect(window.state()).toMatchObject({ status: "failed", error: new Error("gone") });
  isBroken = false;
  await window.refresh();
  expect(window.state().status).toBe("ready");
  isBroken = true;
  await window.loadLater();
  expect(window.state().entries).toHaveLength(10);
});
