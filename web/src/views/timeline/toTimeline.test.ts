import { expect, test } from "vitest";
import type { QuestionRow, TimelineRow } from "~/api/generated";
import { topicOf, toQuestionTimelines, toTimelineRows } from "./toTimeline";

const line = (sequence: number, kind: string, question: string | null = null): TimelineRow =>
  ({ sequence, kind, question, happenedAt: sequence * 10 }) as TimelineRow;
const question = (id: string, more: Partial<QuestionRow>): QuestionRow =>
  ({
    id,
    status: "pending",
    askedAt: 10,
    reachedPersonAt: null,
    answeredAt: null,
    deliveredAt: null,
    ...more,
  }) as QuestionRow;

test.each([
  ["QuestionAsked", "question"],
  ["RequestMade", "question"],
  ["ClarificationRequested", "question"],
  ["ManyQuestionsAsked", "question"],
  ["NearMissReceived", "problem"],
  ["MessageRejected", "problem"],
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

test("the latest event comes first", () => {
  const rows = { a: line(1, "TaskStarted"), b: line(2, "TaskDone"), c: line(3, "RunEnded") };
  expect(toTimelineRows(rows, null).map((row) => row.sequence)).toEqual([3, 2, 1]);
  expect(toTimelineRows(rows, "task").map((row) => row.sequence)).toEqual([2, 1]);
});

test("a question's history goes from asking to the task that resumes", () => {
  const rows = { a: line(1, "QuestionAsked", "q_1"), b: line(9, "QuestionResumed", "q_1") };
  const answered = question("q_1", {
    status: "resumed",
    reachedPersonAt: 20,
    answeredAt: 70,
    deliveredAt: 80,
  });
  const [timeline] = toQuestionTimelines({ q_1: answered }, rows);
  expect(timeline?.steps.map(({ step, at }) => `${step} ${at}`)).toEqual([
    "asked 10",
    "withPerson 20",
    "answered 70",
    "delivered 80",
    "resumed 90",
  ]);
  expect(timeline?.isOpen).toBe(false);
});

test("open questions come first", () => {
  const rows = { q_1: question("q_1", {}), q_2: question("q_2", { status: "withdrawn", askedAt: 50 }) };
  expect(toQuestionTimelines(rows, {}).map(({ question }) => question.id)).toEqual(["q_1", "q_2"]);
});
