/** Requests that act on a run's repository: merging its results, and deleting worktrees. */

import type { Cleaned, Landed } from "./generated";
import { pathSegment, postJson } from "./http";

/** Merges the approved phases into the branch that the run started from, or everything with `isAll`. */
export function landRun(run: string, { isAll }: { isAll: boolean }): Promise<Landed> {
  return postJson(`/api/runs/${pathSegment(run)}/land${isAll ? "?all=true" : ""}`, null);
}

export function cleanRun(run: string): Promise<Cleaned> {
  return postJson(`/api/runs/${pathSegment(run)}/clean`, null);
}
