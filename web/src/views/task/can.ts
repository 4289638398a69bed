/** What can be done with a task as it stands: what the server would refuse is not offered. */

import type { TaskRow } from "~/api/generated";

type Standing = Pick<TaskRow, "state" | "attempt">;

const isIn = (states: readonly TaskRow["state"][]) => (task: Standing) => states.includes(task.state);

/** Tells whether nothing more happens with it. */
export const isClosed = isIn(["done", "skipped", "cancelled"]);

const isUnderWay = isIn(["running", "blocked", "checking", "merging"]);
const isAtWork = isIn(["running", "blocked", "checking", "failed"]);

/** There is something to keep only while somebody works at it. */
export const canCheckpoint = (task: Standing) => isUnderWay(task) && task.attempt > 0;

/** What never began can't begin again, and what is being merged is nearly done. */
export const canRetry = (task: Standing) => isAtWork(task) && task.attempt > 0;

/** What is merged stays merged. */
export const canRewind = (task: Standing) => task.state !== "done" && task.attempt > 0;
