import { expect, test } from "vitest";
import type { QuestionRow, TimelineRow } from "~/api/generated";
import { toLines, toLives, topicOf } from "./toTimeline";

const line = (sequence: number, kind: string, question: string | null = null): TimelineRow =>
  ({ sequence, kind, question, happenedAt: sequence * 10 }) as TimelineRow;
const question = (id: string, more: Partial<QuestionRow>): QuestionRow =>
  ({
    id,
    status: "pending",
    askedAt: 10,
    withPersonAt: null,
    answeredAt: null,
    deliveredAt: null,
    ...more,
  }) as QuestionRow;

test.each([
  ["QuestionAsked", "question"],
  ["RequestMade", "question"],
  ["TaskStarted", "task"],
  ["TaskFailed", "problem"],
  ["EscalationRaised", "problem"],
  ["GateApproved", "phase"],
  ["SessionLost", "problem"],
  ["SessionOpened", "session"],
  ["RunStarted", "run"],
] as const)("%s is about a %s", (kind, topic) => {
  expect(topicOf({ kind })).toBe(topic);
});

test("the latest line comes first", () => {
  const rows = { a: line(1, "TaskStarted"), b: line(2, "TaskDone"), c: line(3, "RunEnded") };
  expect(toLines(rows, null).map((row) => row.sequence)).toEqual([3, 2, 1]);
  expect(toLines(rows, "task").map((row) => row.sequence)).toEqual([2, 1]);
});

test("a question's life goes from asking to the task that goes on", () => {
  const rows = { a: line(1, "QuestionAsked", "q_1"), b: line(9, "QuestionResumed", "q_1") };
  const answered = question("q_1", { status: "resumed", withPersonAt: 20, answeredAt: 70, deliveredAt: 80 });
  const [life] = toLives({ q_1: answered }, rows);
  expect(life?.steps.map(({ step, at }) => `${step} ${at}`)).toEqual([
    "asked 10",
    "withPerson 20",
    "answered 70",
    "delivered 80",
    "resumed 90",
  ]);
  expect(life?.isOpen).toBe(false);
});

test("what waits comes before what is over", () => {
  const rows = { q_1: question("q_1", {}), q_2: question("q_2", { status: "withdrawn", askedAt: 50 }) };
  expect(toLives(rows, {}).map((life) => life.question.id)).toEqual(["q_1", "q_2"]);
});
