import { expect, test } from "vitest";
import type { SessionRecord, SessionRecords } from "~/api/generated";
import { toMessageLogEntries } from "./logEntries";

const recordsAt = (offset: number, records: Partial<SessionRecord>[], process = 1): SessionRecords => ({
  process,
  hasTerminal: false,
  first: 0,
  offset,
  next: offset + 100,
  hasEnded: false,
  records: records.map((record) => ({ direction: "output", offset, at: 1, text: "", ...record })),
});
const entryLines = (answers: SessionRecords[]) =>
  toMessageLogEntries(answers).map(
    ({ direction, text, isCut }) => `${direction[0]}${isCut ? "…" : " "}${text}`,
  );

test("a line is one entry, however it is split", () => {
  const answers = [
    recordsAt(0, [
      { direction: "input", input: 1, text: "ask\n" },
      { text: '{"a":' },
      { direction: "error", text: "oh\n" },
      { text: "1}\n\n{" },
    ]),
    recordsAt(100, [{ text: "}\nrest" }]),
  ];
  expect(entryLines(answers)).toEqual(["i ask", 'o {"a":1}', "e oh", "o {}", "o rest"]);
});

test("an input that is in two answers appears once", () => {
  const input = { direction: "input", input: 7, text: "go\n" } as const;
  expect(
    entryLines([recordsAt(0, [{ text: "a\n" }, input]), recordsAt(100, [input, { text: "b\n" }])]),
  ).toEqual(["o a", "i go", "o b"]);
});

test("only the first line can be incomplete at its beginning", () => {
  expect(
    entryLines([recordsAt(50, [{ text: "tail\nwhole\n" }]), recordsAt(150, [{ text: "next\n" }])]),
  ).toEqual(["o…tail", "o whole", "o next"]);
});

test("another process starts a new line, and every entry has its own key", () => {
  const answers = [recordsAt(0, [{ text: "half" }]), recordsAt(0, [{ text: "new\nnew\n" }], 2)];
  expect(entryLines(answers)).toEqual(["o half", "o new", "o new"]);
  const keys = toMessageLogEntries(answers).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});
