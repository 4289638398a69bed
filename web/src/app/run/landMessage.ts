/** The message about the result of merging a run into its branch. */

import type { LandReport } from "~/api/generated";

/** Further files are left out of the message. */
const FILES_MAX = 5;

/** Returns the key of the message with its values, and whether the branch contains the run's work. */
export function landMessage(
  landed: LandReport,
  run: string,
): { key: string; values: Record<string, string | number>; isMerged: boolean } {
  const { branch } = landed;
  switch (landed.type) {
    case "landed":
      return { key: landed.type, values: { branch, count: landed.nCommits }, isMerged: true };
    case "alreadyLanded":
      return { key: landed.type, values: { branch }, isMerged: true };
    case "noTarget":
    case "notApproved":
      return { key: landed.type, values: { branch }, isMerged: false };
    case "checkedOut":
      return { key: landed.type, values: { branch, path: landed.path }, isMerged: false };
    case "diverged":
      return { key: landed.type, values: { branch, ours: `jangdan/${run}/run` }, isMerged: false };
    case "dirty": {
      const named = landed.files.slice(0, FILES_MAX).join(", ");
      const files = landed.files.length > FILES_MAX ? `${named}, …` : named;
      return { key: landed.type, values: { branch, files }, isMerged: false };
    }
  }
}
