/** Requests that act on a run's repository: merging its results, and deleting worktrees. */

import type { CleanupReport, LandReport } from "./generated";
import { encodePathSegment, postJson } from "./http";

/** Merges the approved phases into the branch that the run started from, or everything with `isAll`. */
export function landRun(run: string, { isAll }: { isAll: boolean }): Promise<LandReport> {
  return postJson(`/api/runs/${encodePathSegment(run)}/land${isAll ? "?all=true" : ""}`, null);
}

export function deleteFinishedWorktrees(run: string): Promise<CleanupReport> {
  return postJson(`/api/runs/${encodePathSegment(run)}/clean`, null);
}
