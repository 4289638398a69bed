import type { RunRow } from "~/api/generated";

export type RunAct = "pause" | "continue" | "land" | "clean" | "cancel";

/** What can be done with a run as it stands. */
export function toRunActs({ status, endedAt }: Pick<RunRow, "status" | "endedAt">): RunAct[] {
  if (endedAt !== null) return ["land", "clean"];
  return [status === "paused" ? "continue" : "pause", "land", "clean", "cancel"];
}
