import { expect, test } from "vitest";
import type { RunRow } from "~/api/generated";
import { availableRunActions } from "./availableRunActions";

test.each<[RunRow["status"], number | null, string]>([
  ["running", null, "pause land clean cancel"],
  ["paused", null, "continue land clean cancel"],
  ["done", 7, "land clean"],
  ["cancelled", 7, "land clean"],
])("a run that is %s (ended at %s) allows: %s", (status, endedAt, actions) => {
  expect(availableRunActions({ status, endedAt }).join(" ")).toBe(actions);
});
