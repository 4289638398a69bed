import { expect, test } from "vitest";
import type { QuestionRow, TimelineRow } from "~/api/generated";
import { eventTopic, toQuestionTimelines, toTimelineRows } from "./toTimeline";

const timelineRow = (sequence: number, kind: string, question: string | null = null): TimelineRow =>
  ({ sequence, kind, question, happenedAt: sequence * 10 }) as TimelineRow;
const questionRow = (id: string, more: Partial<QuestionRow>): QuestionRow =>
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
] as const)("an event of kind %s has the topic %s", (kind, topic) => {
  expect(eventTopic({ kind })).toBe(topic);
});

test("the latest event comes first", () => {
  const rows = {
    a: timelineRow(1, "TaskStarted"),
    b: timelineRow(2, "TaskDone"),
    c: timelineRow(3, "RunEnded"),
  };
  expect(toTimelineRows(rows, null, true).map((row) => row.sequence)).toEqual([3, 2, 1]);
  expect(toTimelineRows(rows, "task", true).map((row) => row.sequence)).toEqual([2, 1]);
});

test("a question's history goes from asking to the task that resumes", () => {
  const rows = { a: timelineRow(1, "QuestionAsked", "q_1"), b: timelineRow(9, "QuestionResumed", "q_1") };
  const answered = questionRow("q_1", {
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
  const rows = { q_1: questionRow("q_1", {}), q_2: questionRow("q_2", { status: "withdrawn", askedAt: 50 }) };
  expect(toQuestionTimelines(rows, {}).map(({ question }) => question.id)).toEqual(["q_1", "q_2"]);
});
