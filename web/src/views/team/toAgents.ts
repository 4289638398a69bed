/** What each agent of a run does, did and used, and what the run cost by phase, model and task. */

import type {
  AgentRow,
  AttemptRow,
  CostCertainty,
  PhaseRow,
  QuestionRow,
  Role,
  SessionRow,
  TaskRow,
  UsageTotals,
} from "~/api/generated";
import { compareIds } from "~/components/compareIds";
import { hasUsage } from "~/components/usage";

const ACTIVE_STATES: readonly TaskRow["state"][] = ["running", "checking", "merging", "blocked"];

export type AgentSummary = {
  name: string;
  role: Role;
  models: string[];
  /** Its tasks that have started and not ended. */
  tasksNow: TaskRow[];
  nDone: number;
  /** Failed attempts, also of tasks that were done later. */
  nFailed: number;
  /** Its questions that reached the user. */
  nAsked: number;
  used: UsageTotals;
};

type Rows<Row> = Readonly<Record<string, Row>>;
type TeamRows = {
  agents: Rows<AgentRow>;
  tasks: Rows<TaskRow>;
  attempts: Rows<AttemptRow>;
  questions: Rows<QuestionRow>;
  sessions: Rows<SessionRow>;
};

/** The agents by name. */
export function toAgents(rows: TeamRows): AgentSummary[] {
  const [tasks, attempts, questions, sessions] = [
    Object.values(rows.tasks),
    Object.values(rows.attempts),
    Object.values(rows.questions),
    Object.values(rows.sessions),
  ];
  const agents = Object.values(rows.agents).map(({ name, role, used }): AgentSummary => {
    const isOwn = ({ agent }: { agent: string | null }) => agent === name;
    return {
      name,
      role,
      models: [...new Set(sessions.filter(isOwn).flatMap(({ model }) => model ?? []))].sort(),
      tasksNow: tasks
        .filter((task) => isOwn(task) && ACTIVE_STATES.includes(task.state))
        .sort((left, right) => compareIds(left.id, right.id)),
      nDone: attempts.filter((attempt) => isOwn(attempt) && attempt.state === "done").length,
      nFailed: attempts.filter((attempt) => isOwn(attempt) && attempt.state === "failed").length,
      nAsked: questions.filter((question) => isOwn(question) && question.reachedPersonAt !== null).length,
      used,
    };
  });
  return agents.sort((left, right) => left.name.localeCompare(right.name));
}

export type CostShare = { key: string; name: string; used: UsageTotals; budgets: readonly string[] };

export function toPhaseShares(phases: Rows<PhaseRow>): CostShare[] {
  return Object.values(phases)
    .sort((left, right) => left.number - right.number)
    .map(({ number, name, used, budgets }) => ({
      key: String(number),
      name: `${number} ${name}`.trim(),
      used,
      budgets,
    }));
}

/** The usage by model; the name is empty for sessions that reported usage but no model. */
export function toModelShares(sessions: Rows<SessionRow>): CostShare[] {
  const byModel = new Map<string, UsageTotals>();
  for (const { model, used } of Object.values(sessions)) {
    if (!hasUsage(used)) continue;
    const key = model ?? "";
    const sum = byModel.get(key);
    byModel.set(key, sum ? addUsage(sum, used) : used);
  }
  const shares = [...byModel].map(([name, used]) => ({ key: name, name, used, budgets: [] }));
  return shares.sort((left, right) => compareUsage(right.used, left.used));
}

const SHOWN_TASKS_MAX = 6;

/** The tasks that cost most. */
export function toTaskShares(tasks: Rows<TaskRow>): CostShare[] {
  return Object.values(tasks)
    .filter(({ used }) => hasUsage(used))
    .sort((left, right) => compareUsage(right.used, left.used) || compareIds(left.id, right.id))
    .slice(0, SHOWN_TASKS_MAX)
    .map(({ id, title, used, budget }) => ({
      key: id,
      name: `${id} ${title}`,
      used,
      budgets: budget === null ? [] : [budget],
    }));
}

const compareUsage = (left: UsageTotals, right: UsageTotals) =>
  left.costMicros - right.costMicros || left.tokens - right.tokens;

/** From 0 to 1, the part that a usage is of the largest one: of the costs, or of the tokens if no cost is known. */
export function shareOfLargest(used: UsageTotals, all: readonly UsageTotals[]): number {
  const measure = all.some(({ costMicros }) => costMicros > 0) ? "costMicros" : "tokens";
  const largest = Math.max(...all.map((usage) => usage[measure]));
  return largest === 0 ? 0 : used[measure] / largest;
}

function addUsage(left: UsageTotals, right: UsageTotals): UsageTotals {
  return {
    tokens: left.tokens + right.tokens,
    isPartial: left.isPartial || right.isPartial,
    costMicros: left.costMicros + right.costMicros,
    costCertainty: sumCertainty(left, right),
  };
}

/** A sum with an unknown part is a lower bound, unless nothing of it is known. */
function sumCertainty(left: UsageTotals, right: UsageTotals): CostCertainty {
  const both = [left.costCertainty, right.costCertainty];
  if (both.every((certainty) => certainty === "unknown")) return "unknown";
  if (both.some((certainty) => certainty === "unknown" || certainty === "atLeast")) return "atLeast";
  return both.includes("estimated") ? "estimated" : "known";
}
