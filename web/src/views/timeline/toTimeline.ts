/** The events of a run by topic, and the history of each question. */

import type { QuestionRow, TimelineRow } from "~/api/generated";
import type { EventTopic } from "~/components/eventTopics";
import { isSystemDetail } from "~/components/systemDetail";

/** The topic of an event, by the name of its kind. */
export function eventTopic({ kind }: Pick<TimelineRow, "kind">): EventTopic {
  if (/^(Question|ManyQuestions|Clarification|Request|Permission)/.test(kind)) return "question";
  if (/^(Escalation|Error|Budget|Limit)|(Failed|Lost|Rejected|NearMissReceived)$/.test(kind))
    return "problem";
  if (/^(Phase|Gate)/.test(kind)) return "phase";
  if (/^(Task|Check|Test|Merge|Attempt|Dependency|External|Loop)/.test(kind)) return "task";
  if (/^(Session|Invocation|Result|Channel|Direct|Turn|Message|Input)/.test(kind)) return "session";
  return "run";
}

/** The events of a topic, latest first. Without `withDetail`, only those that a user wants to know of. */
export function toTimelineRows(
  rows: Readonly<Record<string, TimelineRow>>,
  topic: EventTopic | null,
  withDetail: boolean,
): TimelineRow[] {
  const events = Object.values(rows).filter(
    (row) => (topic === null || eventTopic(row) === topic) && (withDetail || !isSystemDetail(row.kind)),
  );
  return events.sort((left, right) => right.sequence - left.sequence);
}

export type QuestionStep =
  | "asked"
  | "withPerson"
  | "answered"
  | "delivered"
  | "resumed"
  | "withdrawn"
  | "expired";
export type QuestionTimeline = {
  question: QuestionRow;
  steps: { step: QuestionStep; at: number }[];
  isOpen: boolean;
};

/** The history of each question; open questions first, then the latest. */
export function toQuestionTimelines(
  questions: Readonly<Record<string, QuestionRow>>,
  timeline: Readonly<Record<string, TimelineRow>>,
): QuestionTimeline[] {
  const times = new Map<string, number>();
  for (const row of Object.values(timeline)) {
    if (row.question) times.set(`${row.question} ${row.kind}`, row.happenedAt);
  }
  const timelines = Object.values(questions).map((question): QuestionTimeline => {
    const timeOf = (kind: string) => times.get(`${question.id} ${kind}`) ?? null;
    const candidates: [QuestionStep, number | null][] = [
      ["asked", question.askedAt],
      ["withPerson", question.reachedPersonAt],
      ["answered", question.answeredAt],
      ["delivered", question.deliveredAt],
      ["resumed", timeOf("QuestionResumed")],
      ["withdrawn", timeOf("QuestionWithdrawn")],
      ["expired", timeOf("QuestionExpired")],
    ];
    const steps = candidates.flatMap(([step, at]) => (at === null ? [] : [{ step, at }]));
    steps.sort((left, right) => left.at - right.at);
    return { question, steps, isOpen: ["asked", "withOrchestrator", "pending"].includes(question.status) };
  });
  return timelines.sort(
    (left, right) =>
      Number(right.isOpen) - Number(left.isOpen) || right.question.askedAt - left.question.askedAt,
  );
}
