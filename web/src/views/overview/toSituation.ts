import type { RunRow } from "~/api/generated";

/** What a run is doing, as the first sentence of its overview says it. */
export type Situation =
  | "done"
  | "failed"
  | "cancelled"
  | "paused"
  /** Nothing continues until the user acts. */
  | "waitingForYou"
  /** Agents work, and other work needs the user. */
  | "workingAndWaiting"
  | "working"
  /** No agent works, and nothing needs the user: a rate limit, an orchestrator that thinks, the next start. */
  | "idle";

type RunFacts = Pick<RunRow, "status" | "tasks" | "needsUser">;

/** The number of tasks at which an agent or a check works. */
export const nTasksInProgress = ({ running, checking, merging }: RunRow["tasks"]): number =>
  running + checking + merging;

/** Returns the situation of a run with this number of items that need the user. */
export function toSituation({ status, tasks, needsUser }: RunFacts, nItems: number): Situation {
  if (status !== "running") return status;
  const isWorking = nTasksInProgress(tasks) > 0;
  if (nItems > 0) return needsUser || !isWorking ? "waitingForYou" : "workingAndWaiting";
  return isWorking ? "working" : "idle";
}
