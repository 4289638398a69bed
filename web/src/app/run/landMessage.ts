/** The message about the result of merging a run into its branch. */

import type { LandReport, ManualMerge } from "~/api/generated";

/** Further files are left out of the message. */
const FILES_MAX = 5;
/** Earlier lines of a failed check are left out of the message. */
const OUTPUT_LINES_MAX = 5;

type Message = { key: string; values: Record<string, string | number> };

/** Returns the messages about a result, in their order, and whether the branch contains the run's work. */
export function landMessages(landed: LandReport): { messages: Message[]; isMerged: boolean } {
  const { isMerged, ...message } = mainMessage(landed);
  const messages = [message];
  if (landed.type === "landed" || landed.type === "planned") {
    if (landed.kind === "mergeInsteadOfRebase") messages.push({ key: landed.kind, values: {} });
    if (landed.isUnchecked) messages.push({ key: "unchecked", values: {} });
  }
  return { messages, isMerged };
}

function mainMessage(landed: LandReport): Message & { isMerged: boolean } {
  const { branch } = landed;
  const shorten = (files: string[]) => {
    const named = files.slice(0, FILES_MAX).join(", ");
    return files.length > FILES_MAX ? `${named}, …` : named;
  };
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
    case "unknownBranch":
    case "ownBranch":
      return { key: landed.type, values: { branch }, isMerged: false };
    case "planned":
      return { key: landed.type, values: { branch, count: landed.nCommits }, isMerged: false };
    case "dirty":
      return { key: landed.type, values: { branch, files: shorten(landed.files) }, isMerged: false };
    case "conflicted": {
      const { start, finish } = toShellLines(landed.manualMerge);
      return {
        key: landed.type,
        values: { branch, files: shorten(landed.files), start, finish },
        isMerged: false,
      };
    }
    case "checkNotRun":
      return { key: landed.type, values: { branch, command: landed.command }, isMerged: false };
    case "checkFailed": {
      const { start, finish } = toShellLines(landed.manualMerge);
      const output = lastLines(landed.output);
      return {
        key: landed.type,
        values: { branch, command: landed.command, output, start, finish },
        isMerged: false,
      };
    }
  }
}

export function lastLines(output: string) {
  return output.trimEnd().split("\n").slice(-OUTPUT_LINES_MAX).join("\n");
}

function toShellLines({ start, finish }: ManualMerge) {
  return { start: start.join(" && "), finish: finish.join(" && ") };
}
