/** The parts of a report about merging a run, for display. */

import type { CheckObstacle, LandReport, ManualMerge } from "~/api/generated";

/** Earlier lines of a failed check are left out. */
const OUTPUT_LINES_MAX = 20;

export type LandOutcome = {
  /** `mergeResult.KEY` is the message. */
  key: LandReport["type"] | "unknown";
  values: Record<string, string | number>;
  /** Whether the branch has the work of the run. */
  isMerged: boolean;
  /** Files that would change, or that are in the way. */
  files: string[];
  /** Command that would check the merged result, or that failed on it. */
  check: string | null;
  /** End of the output of the check. */
  output: string;
  /** Why the check could not run. */
  obstacle: CheckObstacle | null;
  /** Whether no check is set that examines the merged result. */
  isUnchecked: boolean;
  manualMerge: ManualMerge | null;
};

/** What reports of any type may contain. A newer server may send types that this page does not know. */
type LandReportFields = {
  type: string;
  branch?: string;
  path?: string;
  reason?: string;
  nCommits?: number;
  kind?: string;
  files?: string[];
  command?: string;
  check?: string | null;
  output?: string;
  obstacle?: CheckObstacle | null;
  isUnchecked?: boolean;
  manualMerge?: ManualMerge;
};

const KNOWN_TYPES: Record<LandReport["type"], true> = {
  landed: true,
  planned: true,
  alreadyLanded: true,
  checkedOut: true,
  conflicted: true,
  dirty: true,
  checkFailed: true,
  checkNotRun: true,
  notApproved: true,
  noTarget: true,
  unknownBranch: true,
  ownBranch: true,
  failed: true,
};

const isKnown = (type: string): type is LandReport["type"] => Object.hasOwn(KNOWN_TYPES, type);

export function toLandOutcome(report: LandReport): LandOutcome {
  const fields: LandReportFields = report;
  const { type, branch = "", path = "", reason = "", nCommits = 0, kind = "" } = fields;
  return {
    key: isKnown(type) ? type : "unknown",
    values: { type, branch, path, reason, count: nCommits, kind },
    isMerged: type === "landed" || type === "alreadyLanded",
    files: fields.files ?? [],
    check: fields.check ?? fields.command ?? null,
    output: (fields.output ?? "").trimEnd().split("\n").slice(-OUTPUT_LINES_MAX).join("\n"),
    obstacle: fields.obstacle ?? null,
    isUnchecked: fields.isUnchecked ?? false,
    manualMerge: fields.manualMerge ?? null,
  };
}
