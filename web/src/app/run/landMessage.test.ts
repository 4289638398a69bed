import { expect, test } from "vitest";
import type { LandReport } from "~/api/generated";
import { landMessage } from "./landMessage";

const dirtyReport = (n: number): LandReport => ({
  type: "dirty",
  branch: "main",
  files: Array.from({ length: n }, (_, at) => `f${at + 1}`),
});

test.each([
  [
    { type: "landed", branch: "main", commit: "ab", from: "cd", nCommits: 3 },
    true,
    { branch: "main", count: 3 },
  ],
  [{ type: "alreadyLanded", branch: "main" }, true, { branch: "main" }],
  [{ type: "noTarget", branch: "jangdan/r1/run" }, false, { branch: "jangdan/r1/run" }],
  [{ type: "notApproved", branch: "jangdan/r1/run" }, false, { branch: "jangdan/r1/run" }],
  [{ type: "checkedOut", branch: "main", path: "/p" }, false, { branch: "main", path: "/p" }],
  [{ type: "diverged", branch: "main", tip: "ab" }, false, { branch: "main", ours: "jangdan/r1/run" }],
  [dirtyReport(2), false, { branch: "main", files: "f1, f2" }],
  [dirtyReport(7), false, { branch: "main", files: "f1, f2, f3, f4, f5, …" }],
] as [LandReport, boolean, object][])("the report %o counts as merged: %s", (landed, isMerged, values) => {
  expect(landMessage(landed, "r1")).toEqual({ key: landed.type, values, isMerged });
});
