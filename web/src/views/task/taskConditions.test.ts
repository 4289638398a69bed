import { expect, test } from "vitest";
import type { TaskRow } from "~/api/generated";
import { canCreateCheckpoint, canRetry, canRewind, isClosed } from "./taskConditions";

const metConditions = (state: TaskRow["state"], attempt: number) => {
  const task = { state, attempt };
  const all = { checkpoint: canCreateCheckpoint, retry: canRetry, rewind: canRewind, closed: isClosed };
  return Object.entries(all)
    .filter(([, is]) => is(task))
    .map(([name]) => name);
};

test.each<[TaskRow["state"], number, string[]]>([
  ["waiting", 0, []],
  ["ready", 0, []],
  ["ready", 1, ["rewind"]],
  ["blocked", 0, []],
  ["blocked", 1, ["checkpoint", "retry", "rewind"]],
  ["running", 1, ["checkpoint", "retry", "rewind"]],
  ["checking", 1, ["checkpoint", "retry", "rewind"]],
  ["merging", 1, ["checkpoint", "rewind"]],
  ["failed", 2, ["retry", "rewind"]],
  ["done", 1, ["closed"]],
  ["skipped", 1, ["rewind", "closed"]],
  ["cancelled", 0, ["closed"]],
])("a task that is %s at attempt %i meets the conditions %j", (state, attempt, conditions) => {
  expect(metConditions(state, attempt)).toEqual(conditions);
});
