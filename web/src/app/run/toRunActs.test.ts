import { expect, test } from "vitest";
import type { RunRow } from "~/api/generated";
import { toRunActs } from "./toRunActs";

test.each<[RunRow["status"], number | null, string]>([
  ["running", null, "pause land clean cancel"],
  ["paused", null, "continue land clean cancel"],
  ["done", 7, "land clean"],
  ["cancelled", 7, "land clean"],
])("with a run that is %s (ended at %s) one can: %s", (status, endedAt, acts) => {
  expect(toRunActs({ status, endedAt }).join(" ")).toBe(acts);
});
