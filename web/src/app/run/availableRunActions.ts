import type { RunRow } from "~/api/generated";

export type RunActionId = "pause" | "continue" | "land" | "clean" | "cancel";

/** The actions that the server would accept for a run in this state. */
export function availableRunActions({ status, endedAt }: Pick<RunRow, "status" | "endedAt">): RunActionId[] {
  if (endedAt !== null) return ["land", "clean"];
  return [status === "paused" ? "continue" : "pause", "land", "clean", "cancel"];
}
