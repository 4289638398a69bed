import { expect, test } from "vitest";
import { toResolutions } from "./toResolutions";

test("a problem offers exactly the allowed actions that resolve it, in their order", () => {
  const retry = { type: "retry" } as const;
  const skip = { type: "skip" } as const;
  expect(toResolutions([{ resolve: skip }, "answer", { resolve: retry }])).toEqual([skip, retry]);
  expect(toResolutions([])).toEqual([]);
});
