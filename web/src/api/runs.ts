/** Requests that act on a run's repository: merging its results, and deleting worktrees. */

import type { CleanupReport, LandReport } from "./generated";
import { encodePathSegment, postJson } from "./http";

export type LandOptions = {
  /** Includes unapproved phases. */
  isAll: boolean;
  /** The target branch; if empty, the branch that the run started from. */
  into: string;
  /** Makes one commit. */
  isSquash: boolean;
  /** Reports what would happen, and changes nothing. */
  isDryRun?: boolean;
};

/** Merges the approved phases into a branch. */
export function landRun(run: string, options: LandOptions): Promise<LandReport> {
  const query = new URLSearchParams();
  const into = options.into.trim();
  if (options.isAll) query.set("all", "true");
  if (into !== "") query.set("into", into);
  if (options.isSquash) query.set("squash", "true");
  if (options.isDryRun) query.set("dryRun", "true");
  return postJson(`/api/runs/${encodePathSegment(run)}/land${withQuery(query)}`, null);
}

/** Deletes the worktrees of finished tasks; with `isWithRefs` also branches and refs of landed work. */
export function deleteFinishedWorktrees(
  run: string,
  { isWithRefs }: { isWithRefs: boolean },
): Promise<CleanupReport> {
  const query = new URLSearchParams(isWithRefs ? { refs: "true" } : {});
  return postJson(`/api/runs/${encodePathSegment(run)}/clean${withQuery(query)}`, null);
}

const withQuery = (query: URLSearchParams) => (query.size > 0 ? `?${query}` : "");
