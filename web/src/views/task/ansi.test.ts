import { expect, test } from "vitest";
import { plain } from "./ansi";

test.each([
  ["\x1b[32mgreen\x1b[0m", "green"],
  ["\x1b]0;title\x07words", "words"],
  ["one\r\ntwo", "one\ntwo"],
  [" 10 %\r 50 %\r100 %\n", "100 %\n"],
  ["한글\x1b[2K\x08", "한글"],
  ["\x1b[?25l\x1b[1;1Hscreen", "screen"],
])("%j is read as %j", (printed, text) => {
  expect(plain(printed)).toBe(text);
});
