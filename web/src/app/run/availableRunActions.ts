import type { RunAction, RunRow } from "~/api/generated";

/** The menu of a run: what the engine allows, with the action that cannot be undone at the end. */
export function availableRunActions({ actions }: Pick<RunRow, "actions">): RunAction[] {
  const isFinal = (action: RunAction) => action === "cancel";
  return [...actions.filter((action) => !isFinal(action)), ...actions.filter(isFinal)];
}
