import { expect, test } from "vitest";
import type { TaskRow } from "~/api/generated";
import { toTaskActs } from "./toTaskActs";

const TEAM = [
  { name: "lead", role: "orchestrator" },
  { name: "ada", role: "worker" },
  { name: "bea", role: "specialist" },
] as const;
const PRIORITIES = "critical high normal✓ low";

const acts = (state: TaskRow["state"], attempt: number, team: readonly (typeof TEAM)[number][] = TEAM) =>
  toTaskActs({ state, attempt, blocked: [], priority: "normal", agent: "ada" }, team)
    .map((act) => {
      if (act.type === "priority") return act.priority + (act.isOn ? "✓" : "");
      return act.type === "giveTo" ? `→${act.agent}` : act.type;
    })
    .join(" ");

test.each<[TaskRow["state"], number, string]>([
  ["ready", 0, `pause ${PRIORITIES} →bea skip cancel`],
  ["running", 1, `pause retry ${PRIORITIES} →bea checkpoint skip cancel`],
  ["failed", 2, "retry skip cancel"],
  ["done", 1, ""],
])("with a task that is %s at try %i one can: %s", (state, attempt, can) => {
  expect(acts(state, attempt)).toBe(can);
});

test("a task goes to nobody else where there is nobody else", () => {
  expect(acts("ready", 0, TEAM.slice(1, 2))).not.toContain("→");
});
