import { expect, test } from "vitest";
import type { RunAction } from "~/api/generated";
import { availableRunActions } from "./availableRunActions";

test.each<[string, RunAction[], string]>([
  ["running", ["pause", "cancel", "land", "clean"], "pause land clean cancel"],
  ["paused", ["continue", "cancel", "land", "clean"], "continue land clean cancel"],
  ["done", ["land", "clean"], "land clean"],
  ["in the project folder", ["pause", "cancel"], "pause cancel"],
])("the menu of a run that is %s has its allowed actions", (_status, actions, expected) => {
  expect(availableRunActions({ actions }).join(" ")).toBe(expected);
});
