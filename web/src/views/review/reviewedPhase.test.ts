import { expect, test } from "vitest";
import { chooseReviewedPhase } from "./reviewedPhase";

const PHASES = [{ phase: 1 }, { phase: 2 }, { phase: 3 }];

test.each([
  [2, [3], 2],
  [7, [2, 3], 2],
  [undefined, [2, 3], 2],
  [undefined, [], 3],
])("of three phases, with %s wanted and %j waiting, %i is shown", (wanted, waiting, shown) => {
  expect(chooseReviewedPhase(PHASES, wanted, (phase) => waiting.includes(phase))).toBe(shown);
});

test("without a phase at its gate nothing is shown", () => {
  expect(chooseReviewedPhase([], 1, () => true)).toBeUndefined();
});
