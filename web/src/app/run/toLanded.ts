/** What came of bringing a run's work onto its branch. */

import type { Landed } from "~/api/generated";

/** More files than these are not read. */
const FILES_MAX = 5;

/** Returns the words for it, and whether the work is where it should be. */
export function toLanded(
  landed: Landed,
  run: string,
): { key: string; values: Record<string, string>; isThere: boolean } {
  const { branch } = landed;
  switch (landed.type) {
    case "landed":
    case "already":
      return { key: landed.type, values: { branch }, isThere: true };
    case "noTarget":
    case "notApproved":
      return { key: landed.type, values: { branch }, isThere: false };
    case "checkedOut":
      return { key: landed.type, values: { branch, path: landed.path }, isThere: false };
    case "diverged":
      return { key: landed.type, values: { branch, ours: `jangdan/${run}/run` }, isThere: false };
    case "dirty": {
      const named = landed.files.slice(0, FILES_MAX).join(", ");
      const files = landed.files.length > FILES_MAX ? `${named}, …` : named;
      return { key: landed.type, values: { branch, files }, isThere: false };
    }
  }
}
