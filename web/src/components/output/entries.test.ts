import { expect, test } from "vitest";
import type { SessionRecord, SessionRecords } from "~/api/generated";
import { toEntries } from "./entries";

const answer = (offset: number, records: Partial<SessionRecord>[], process = 1): SessionRecords => ({
  process,
  hasTerminal: false,
  first: 0,
  offset,
  next: offset + 100,
  isOver: false,
  records: records.map((record) => ({ way: "output", offset, at: 1, text: "", ...record })),
});
const lines = (answers: SessionRecords[]) =>
  toEntries(answers).map(({ way, text, isCut }) => `${way[0]}${isCut ? "…" : " "}${text}`);

test("a line is an entry, whatever pieces it comes in", () => {
  const answers = [
    answer(0, [
      { way: "input", input: 1, text: "ask\n" },
      { text: '{"a":' },
      { way: "error", text: "oh\n" },
      { text: "1}\n\n{" },
    ]),
    answer(100, [{ text: "}\nrest" }]),
  ];
  expect(lines(answers)).toEqual(["i ask", 'o {"a":1}', "e oh", "o {}", "o rest"]);
});

test("an input at the border of two answers is there once", () => {
  const input = { way: "input", input: 7, text: "go\n" } as const;
  expect(lines([answer(0, [{ text: "a\n" }, input]), answer(100, [input, { text: "b\n" }])])).toEqual([
    "o a",
    "i go",
    "o b",
  ]);
});

test("only the first line of what is held can lack its beginning", () => {
  expect(lines([answer(50, [{ text: "tail\nwhole\n" }]), answer(150, [{ text: "next\n" }])])).toEqual([
    "o…tail",
    "o whole",
    "o next",
  ]);
});

test("another process begins its own lines, and every entry has a key of its own", () => {
  const answers = [answer(0, [{ text: "half" }]), answer(0, [{ text: "new\nnew\n" }], 2)];
  expect(lines(answers)).toEqual(["o half", "o new", "o new"]);
  const keys = toEntries(answers).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});
