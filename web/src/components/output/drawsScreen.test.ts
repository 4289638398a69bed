import { expect, test } from "vitest";
import { drawsScreen } from "./drawsScreen";

test.each([
  ["words\r\nand more\r\n", false],
  ["\x1b[1;31mred\x1b[0m \x1b[K 10 %\r 50 %\r", false],
  ["\x1b[2K\x1b[1Gagain", false],
  ["\x1b[12;40Hhere", true],
  ["\x1b[3A", true],
  ["\x1b[?1049h", true],
  ["\x1b[?25l", false],
  ["\x1b[1;24r", true],
])("%j draws on the screen: %j", (printed, draws) => {
  expect(drawsScreen(printed)).toBe(draws);
});
