import type { RunAction, RunRow } from "~/api/generated";

export type RunActionId = RunAction | "land" | "clean";

/** The menu of a run: what the engine allows, and the operations on its branch and worktrees. */
export function availableRunActions({ actions }: Pick<RunRow, "actions">): RunActionId[] {
  const isFinal = (action: RunAction) => action === "cancel";
  return [...actions.filter((action) => !isFinal(action)), "land", "clean", ...actions.filter(isFinal)];
}
