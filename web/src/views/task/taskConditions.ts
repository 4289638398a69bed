/** The conditions for actions on a task. What the server would reject is not offered. */

import type { TaskRow } from "~/api/generated";

type TaskStatus = Pick<TaskRow, "state" | "attempt">;

const toStateCondition = (states: readonly TaskRow["state"][]) => (task: TaskStatus) =>
  states.includes(task.state);

/** Whether the task has ended for good. */
export const isClosed = toStateCondition(["done", "skipped", "cancelled"]);

const isInProgress = toStateCondition(["running", "blocked", "checking", "merging"]);
const isRetryable = toStateCondition(["running", "blocked", "checking", "failed"]);

export const canCreateCheckpoint = (task: TaskStatus) => isInProgress(task) && task.attempt > 0;

/** A task that is being merged is nearly done, and cannot be retried. */
export const canRetry = (task: TaskStatus) => isRetryable(task) && task.attempt > 0;

/** A merged task stays merged. */
export const canRewind = (task: TaskStatus) => task.state !== "done" && task.attempt > 0;
