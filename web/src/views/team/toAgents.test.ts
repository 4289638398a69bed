import { expect, test } from "vitest";
import type {
  AgentRow,
  AttemptRow,
  CostCertainty,
  QuestionRow,
  SessionRow,
  TaskRow,
  UsageTotals,
} from "~/api/generated";
import { shareOfLargest, toAgents, toModelShares, toTaskShares } from "./toAgents";

const usage = (costMicros: number, costCertainty: CostCertainty = "known", tokens = 10): UsageTotals => ({
  tokens,
  isPartial: false,
  costMicros,
  costCertainty,
});
const session = (model: string | null, used: UsageTotals) => ({ agent: "ada", model, used }) as SessionRow;

test("an agent has its tasks, failed attempts and questions, and not those of others", () => {
  const agent = (name: string) => ({ name, role: "worker", used: usage(1) }) as AgentRow;
  const task = (id: string, state: TaskRow["state"], agent = "ada") => ({ id, state, agent }) as TaskRow;
  const attempt = (state: AttemptRow["state"], agent = "ada") => ({ agent, state }) as AttemptRow;
  const question = (reachedPersonAt: number | null) => ({ agent: "ada", reachedPersonAt }) as QuestionRow;
  const [ada, bob] = toAgents({
    agents: { bob: agent("bob"), ada: agent("ada") },
    tasks: { a: task("T10", "running"), b: task("T2", "blocked"), c: task("T3", "done") },
    attempts: {
      a: attempt("failed"),
      b: attempt("done"),
      c: attempt("failed", "bob"),
      d: attempt("running"),
    },
    questions: { a: question(5), b: question(null) },
    sessions: { a: session("opus", usage(1)), b: session("opus", usage(1)), c: session(null, usage(1)) },
  });
  expect(ada?.tasksNow.map(({ id }) => id)).toEqual(["T2", "T10"]);
  expect([ada?.nDone, ada?.nFailed, ada?.nAsked, ada?.models]).toEqual([1, 1, 1, ["opus"]]);
  expect([bob?.tasksNow, bob?.nFailed, bob?.nAsked]).toEqual([[], 1, 0]);
});

test.each([
  ["known", "known", "known"],
  ["known", "estimated", "estimated"],
  ["known", "unknown", "atLeast"],
  ["unknown", "unknown", "unknown"],
] as const)("a cost that is %s and one that is %s are together %s", (left, right, sum) => {
  const [share] = toModelShares({ a: session("opus", usage(1, left)), b: session("opus", usage(2, right)) });
  expect([share?.used.costMicros, share?.used.costCertainty]).toEqual([3, sum]);
});

test("models and tasks without any usage are left out, the most expensive are first", () => {
  const none = usage(0, "known", 0);
  const models = toModelShares({
    a: session("small", usage(1)),
    b: session(null, none),
    c: session("large", usage(5)),
  });
  expect(models.map(({ name }) => name)).toEqual(["large", "small"]);
  const task = (id: string, used: UsageTotals) => ({ id, title: "", used, budget: null }) as TaskRow;
  const tasks = toTaskShares({ a: task("T1", none), b: task("T2", usage(1)), c: task("T3", usage(2)) });
  expect(tasks.map(({ key }) => key)).toEqual(["T3", "T2"]);
});

test("shares are of the cost, or of the tokens if no cost is known", () => {
  const [small, large] = [usage(1, "known", 90), usage(4, "known", 10)];
  expect(shareOfLargest(small, [small, large])).toBe(0.25);
  const [few, many] = [usage(0, "unknown", 5), usage(0, "unknown", 20)];
  expect(shareOfLargest(few, [few, many])).toBe(0.25);
  expect(shareOfLargest(few, [usage(0, "unknown", 0)])).toBe(0);
});
