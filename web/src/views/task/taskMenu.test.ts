import { expect, test } from "vitest";
import type { TaskAction } from "~/api/generated";
import { taskMenu } from "./taskMenu";

const TEAM = [
  { name: "lead", role: "orchestrator" },
  { name: "ada", role: "worker" },
  { name: "bea", role: "specialist" },
] as const;
const PRIORITIES = "critical high normal✓ low";

const itemNames = (actions: TaskAction[], team: readonly (typeof TEAM)[number][] = TEAM) =>
  taskMenu({ actions, priority: "normal", agent: "ada" }, team)
    .map((item) => {
      if (item.type === "prioritize") return item.priority + (item.isSelected ? "✓" : "");
      return item.type === "reassign" ? `→${item.agent}` : item.type;
    })
    .join(" ");

test.each<[string, TaskAction[], string]>([
  [
    "ready",
    ["pause", "sendMessage", "prioritize", "reassign", "skip", "cancel"],
    `pause ${PRIORITIES} →lead →bea skip cancel`,
  ],
  [
    "running",
    [
      "pause",
      "retry",
      "sendMessage",
      "prioritize",
      "reassign",
      "createCheckpoint",
      "rewind",
      "skip",
      "cancel",
    ],
    `pause retry ${PRIORITIES} →lead →bea createCheckpoint skip cancel`,
  ],
  ["merging", ["prioritize", "createCheckpoint"], `${PRIORITIES} createCheckpoint`],
  ["failed", ["retry", "reassign", "rewind", "skip"], "retry →lead →bea skip"],
  ["skipped", ["retry", "reassign", "rewind"], "retry →lead →bea"],
  ["cancelled", ["retry", "reassign", "rewind", "skip"], "retry →lead →bea skip"],
  ["done", [], ""],
])("the menu of a task that is %s has exactly its allowed actions", (_state, actions, expected) => {
  expect(itemNames(actions)).toBe(expected);
});

test("a task cannot be reassigned in a team of one", () => {
  expect(itemNames(["reassign"], TEAM.slice(1, 2))).toBe("");
});
