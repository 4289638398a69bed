/** Requests that act on a run's repository: merging its results, and deleting worktrees. */

import type { CleanupReport, LandReport } from "./generated";
import { pathSegment, postJson } from "./http";

/** Merges the approved phases into the branch that the run started from, or everything with `isAll`. */
export function landRun(run: string, { isAll }: { isAll: boolean }): Promise<LandReport> {
  return postJson(`/api/runs/${pathSegment(run)}/land${isAll ? "?all=true" : ""}`, null);
}

export function cleanRun(run: string): Promise<CleanupReport> {
  return postJson(`/api/runs/${pathSegment(run)}/clean`, null);
}
