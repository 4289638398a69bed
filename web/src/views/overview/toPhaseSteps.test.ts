import { expect, test } from "vitest";
import type { PhaseRow } from "~/api/generated";
import { toPhaseSteps } from "./toPhaseSteps";

const phase = (number: number, after: number[]) => [String(number), { number, after } as PhaseRow] as const;

test("phases that wait for the same ones are one step", () => {
  const rows = Object.fromEntries([phase(10, [2, 3]), phase(1, []), phase(3, [1]), phase(2, [1])]);
  expect(toPhaseSteps(rows).map((step) => step.map(({ number }) => number))).toEqual([[1], [2, 3], [10]]);
});

test("a phase of which the predecessor is not in the plan is in the first step", () => {
  expect(toPhaseSteps(Object.fromEntries([phase(4, [3])])).length).toBe(1);
});
