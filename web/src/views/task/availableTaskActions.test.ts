import { expect, test } from "vitest";
import type { TaskRow } from "~/api/generated";
import { availableTaskActions } from "./availableTaskActions";

const TEAM = [
  { name: "lead", role: "orchestrator" },
  { name: "ada", role: "worker" },
  { name: "bea", role: "specialist" },
] as const;
const PRIORITIES = "critical high normal✓ low";

const actionNames = (
  state: TaskRow["state"],
  attempt: number,
  team: readonly (typeof TEAM)[number][] = TEAM,
) =>
  availableTaskActions({ state, attempt, blocked: [], priority: "normal", agent: "ada" }, team)
    .map((action) => {
      if (action.type === "priority") return action.priority + (action.isSelected ? "✓" : "");
      return action.type === "reassign" ? `→${action.agent}` : action.type;
    })
    .join(" ");

test.each<[TaskRow["state"], number, string]>([
  ["ready", 0, `pause ${PRIORITIES} →bea skip cancel`],
  ["running", 1, `pause retry ${PRIORITIES} →bea checkpoint skip cancel`],
  ["failed", 2, "retry skip cancel"],
  ["done", 1, ""],
])("a task that is %s at attempt %i allows: %s", (state, attempt, expected) => {
  expect(actionNames(state, attempt)).toBe(expected);
});

test("a task cannot be reassigned in a team of one", () => {
  expect(actionNames("ready", 0, TEAM.slice(1, 2))).not.toContain("→");
});
