import { describe, expect, test } from "vitest";
import {
  contrastRatio,
  indexedColor,
  parseRgb,
  type Rgb,
  type TerminalPalette,
  toReadableColor,
} from "./colors";

const ansi = Array.from({ length: 16 }, (_, n): Rgb => [n, n, n]);
const palette: TerminalPalette = { ink: [232, 234, 238], paper: [24, 27, 33], ansi };

test.each<[number, Rgb]>([
  [3, [3, 3, 3]],
  [16, [0, 0, 0]],
  [196, [255, 0, 0]],
  [110, [135, 175, 215]],
  [231, [255, 255, 255]],
  [232, [8, 8, 8]],
  [255, [238, 238, 238]],
])("color %i of 256 is %j", (index, color) => {
  expect(indexedColor(palette, index)).toEqual(color);
});

test("a computed color is parsed", () => {
  expect(parseRgb("rgb(31, 122, 72)")).toEqual([31, 122, 72]);
});

describe.each<[string, Rgb]>([
  ["light", [255, 255, 255]],
  ["dark", [24, 27, 33]],
  ["red", [191, 47, 37]],
])("on a %s background", (_, paper) => {
  test("all 256 colors are readable", () => {
    for (let index = 16; index < 256; index += 1) {
      const ink = toReadableColor(indexedColor(palette, index), paper);
      expect(contrastRatio(ink, paper), String(index)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

test("a readable color is unchanged", () => {
  expect(toReadableColor([20, 20, 90], [255, 255, 255])).toEqual([20, 20, 90]);
});
