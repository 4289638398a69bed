import { expect, test } from "vitest";
import type { TaskRow } from "~/api/generated";
import { canCheckpoint, canRetry, canRewind, isClosed } from "./can";

const can = (state: TaskRow["state"], attempt: number) => {
  const task = { state, attempt };
  const all = { keep: canCheckpoint, retry: canRetry, rewind: canRewind, closed: isClosed };
  return Object.entries(all)
    .filter(([, is]) => is(task))
    .map(([name]) => name);
};

test.each<[TaskRow["state"], number, string[]]>([
  ["waiting", 0, []],
  ["ready", 0, []],
  ["ready", 1, ["rewind"]],
  ["blocked", 0, []],
  ["blocked", 1, ["keep", "retry", "rewind"]],
  ["running", 1, ["keep", "retry", "rewind"]],
  ["checking", 1, ["keep", "retry", "rewind"]],
  ["merging", 1, ["keep", "rewind"]],
  ["failed", 2, ["retry", "rewind"]],
  ["done", 1, ["closed"]],
  ["skipped", 1, ["rewind", "closed"]],
  ["cancelled", 0, ["closed"]],
])("a task that is %s at try %i can be: %j", (state, attempt, acts) => {
  expect(can(state, attempt)).toEqual(acts);
});
