import { expect, test } from "vitest";
import type { LandReport } from "~/api/generated";
import { toLandOutcome } from "./toLandOutcome";

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
  ],
  [{ type: "alreadyLanded", branch: "main" }, true],
  [{ type: "noTarget", branch: "jangdan/r1/run" }, false],
  [{ type: "notApproved", branch: "jangdan/r1/run" }, false],
  [{ type: "checkedOut", branch: "main", path: "/p" }, false],
  [{ type: "unknownBranch", branch: "x" }, false],
  [{ type: "ownBranch", branch: "jangdan/r1/run" }, false],
  [{ type: "dirty", branch: "main", files: ["f"] }, false],
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
  ],
] as [LandReport, boolean][])("the report %o counts as merged: %s", (report, isMerged) => {
  const outcome = toLandOutcome(report);
  expect([outcome.key, outcome.isMerged, outcome.values["branch"]]).toEqual([
    report.type,
    isMerged,
    "branch" in report ? report.branch : "",
  ]);
});

test("a failed check shows its command, the end of its output and the commands to merge by hand", () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n + 1}`);
  const output = `${lines.join("\n")}\n`;
  const outcome = toLandOutcome({
    type: "checkFailed",
    branch: "main",
    command: "make test",
    output,
    manualMerge,
  });
  expect([outcome.check, outcome.manualMerge]).toEqual(["make test", manualMerge]);
  expect(outcome.output.split("\n")).toEqual(lines.slice(10));
});

test("a report of a newer server keeps what the page can show", () => {
  const obstacle = { type: "programNotFound", program: "just" };
  const report = { type: "notLandedYet", branch: "main", command: "just test", obstacle, manualMerge };
  const outcome = toLandOutcome(report as unknown as LandReport);
  expect(outcome).toMatchObject({
    key: "unknown",
    isMerged: false,
    check: "just test",
    obstacle,
    manualMerge,
  });
  expect(outcome.values).toMatchObject({ type: "notLandedYet", branch: "main" });
});
