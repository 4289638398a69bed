/** What a run can be told beside wishes: its work goes onto the branch that it began from, its worktrees go. */

import type { Cleaned, Landed } from "./generated";
import { part, postJson } from "./http";

/** Lands what gates have let pass, or all that is merged. */
export function landRun(run: string, { isAll }: { isAll: boolean }): Promise<Landed> {
  return postJson(`/api/runs/${part(run)}/land${isAll ? "?all=true" : ""}`, null);
}

export function cleanRun(run: string): Promise<Cleaned> {
  return postJson(`/api/runs/${part(run)}/clean`, null);
}
