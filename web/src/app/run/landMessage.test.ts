import { expect, test } from "vitest";
import type { LandReport } from "~/api/generated";
import { landMessages } from "./landMessage";

const dirtyReport = (n: number): LandReport => ({
  type: "dirty",
  branch: "main",
  files: Array.from({ length: n }, (_, at) => `f${at + 1}`),
});

const manualMerge = { start: ["git stash", "git merge x"], finish: ["git commit"] };

test.each([
  [
    {
      type: "landed",
      branch: "main",
      commit: "ab",
      from: "cd",
      nCommits: 3,
      kind: "merge",
      isUnchecked: false,
    },
    true,
    { branch: "main", count: 3 },
  ],
  [{ type: "alreadyLanded", branch: "main" }, true, { branch: "main" }],
  [{ type: "noTarget", branch: "jangdan/r1/run" }, false, { branch: "jangdan/r1/run" }],
  [{ type: "notApproved", branch: "jangdan/r1/run" }, false, { branch: "jangdan/r1/run" }],
  [{ type: "checkedOut", branch: "main", path: "/p" }, false, { branch: "main", path: "/p" }],
  [{ type: "unknownBranch", branch: "x" }, false, { branch: "x" }],
  [{ type: "ownBranch", branch: "jangdan/r1/run" }, false, { branch: "jangdan/r1/run" }],
  [
    {
      type: "planned",
      branch: "main",
      from: "cd",
      nCommits: 3,
      kind: "merge",
      files: ["f"],
      check: null,
      isUnchecked: false,
    },
    false,
    { branch: "main", count: 3 },
  ],
  [
    { type: "conflicted", branch: "main", files: ["f1", "f2"], manualMerge },
    false,
    { branch: "main", files: "f1, f2", start: "git stash && git merge x", finish: "git commit" },
  ],
  [
    { type: "checkFailed", branch: "main", command: "make", output: "1\n2\n3\n4\n5\n6\n", manualMerge },
    false,
    {
      branch: "main",
      command: "make",
      output: "2\n3\n4\n5\n6",
      start: "git stash && git merge x",
      finish: "git commit",
    },
  ],
  [
    {
      type: "checkNotRun",
      branch: "main",
      command: "pytst -q",
      obstacle: { type: "programNotFound", program: "pytst" },
      output: "",
    },
    false,
    { branch: "main", command: "pytst -q" },
  ],
  [dirtyReport(2), false, { branch: "main", files: "f1, f2" }],
  [dirtyReport(7), false, { branch: "main", files: "f1, f2, f3, f4, f5, …" }],
] as [LandReport, boolean, object][])("the report %o counts as merged: %s", (landed, isMerged, values) => {
  expect(landMessages(landed)).toEqual({
    messages: [{ key: landed.type, values }],
    isMerged,
  });
});

test("a result says what was not checked or not rebased", () => {
  const landed = { type: "landed", branch: "main", commit: "ab", from: "cd", nCommits: 3 } as const;
  const { messages } = landMessages({ ...landed, kind: "mergeInsteadOfRebase", isUnchecked: true });
  expect(messages.map(({ key }) => key)).toEqual(["landed", "mergeInsteadOfRebase", "unchecked"]);
});
