import { expect, test } from "vitest";
import type { TaskRow } from "~/api/generated";
import { isWorthALook } from "./isWorthALook";

test.each<[TaskRow["state"], TaskRow["marks"], boolean, boolean]>([
  ["failed", [], false, true],
  ["running", [], false, false],
  ["done", ["unchecked"], false, false],
  ["done", ["unchecked"], true, true],
  ["done", [], true, false],
  ["skipped", [], true, true],
  ["cancelled", [], true, true],
])(
  "a task that is %s with the marks %j, in a run that has ended (%s), is listed: %s",
  (state, marks, hasEnded, expected) => {
    expect(isWorthALook({ state, marks }, hasEnded)).toBe(expected);
  },
);
