import { describe, expect, test } from "vitest";
import { contrast, indexed, type Palette, type Rgb, readable, toRgb } from "./colors";

const ansi = Array.from({ length: 16 }, (_, n): Rgb => [n, n, n]);
const palette: Palette = { ink: [232, 234, 238], paper: [24, 27, 33], ansi };

test.each<[number, Rgb]>([
  [3, [3, 3, 3]],
  [16, [0, 0, 0]],
  [196, [255, 0, 0]],
  [110, [135, 175, 215]],
  [231, [255, 255, 255]],
  [232, [8, 8, 8]],
  [255, [238, 238, 238]],
])("colour %i of 256 is %j", (index, color) => {
  expect(indexed(palette, index)).toEqual(color);
});

test("a computed colour is read", () => {
  expect(toRgb("rgb(31, 122, 72)")).toEqual([31, 122, 72]);
});

describe.each<[string, Rgb]>([
  ["light", [255, 255, 255]],
  ["dark", [24, 27, 33]],
  ["red", [191, 47, 37]],
])("on %s paper", (_, paper) => {
  test("every one of the 256 colours can be read", () => {
    for (let index = 16; index < 256; index += 1) {
      const ink = readable(indexed(palette, index), paper);
      expect(contrast(ink, paper), String(index)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

test("what can be read stays as it is", () => {
  expect(readable([20, 20, 90], [255, 255, 255])).toEqual([20, 20, 90]);
});
