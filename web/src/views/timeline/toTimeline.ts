/** What happened in a run, and the life of each of its questions. */

import type { QuestionRow, TimelineRow } from "~/api/generated";

export const TOPICS = ["question", "task", "phase", "session", "problem", "run"] as const;
export type Topic = (typeof TOPICS)[number];

/** What a line is about, by the name of its event. */
export function topicOf({ kind }: Pick<TimelineRow, "kind">): Topic {
  if (/^(Question|Request|Permission)/.test(kind)) return "question";
  if (/^(Escalation|Error|Budget|Limit)|(Failed|Lost|Refused|NearMissHeard)$/.test(kind)) return "problem";
  if (/^(Phase|Gate)/.test(kind)) return "phase";
  if (/^(Task|Check|Test|Merge|Attempt|Dependency|External|Loop)/.test(kind)) return "task";
  if (/^(Session|Invocation|Result|Channel|Direct|Turn|Message|Input)/.test(kind)) return "session";
  return "run";
}

/** The lines of some topics, the latest first. */
export function toLines(rows: Readonly<Record<string, TimelineRow>>, topic: Topic | null): TimelineRow[] {
  const lines = Object.values(rows).filter((row) => topic === null || topicOf(row) === topic);
  return lines.sort((left, right) => right.sequence - left.sequence);
}

export type Step = "asked" | "withPerson" | "answered" | "delivered" | "resumed" | "withdrawn" | "expired";
export type Life = {
  question: QuestionRow;
  steps: { step: Step; at: number }[];
  /** Whether it waits for an answer. */
  isOpen: boolean;
};

/** The life of each question; those that wait first, then the latest. */
export function toLives(
  questions: Readonly<Record<string, QuestionRow>>,
  timeline: Readonly<Record<string, TimelineRow>>,
): Life[] {
  const said = new Map<string, number>();
  for (const row of Object.values(timeline)) {
    if (row.question) said.set(`${row.question} ${row.kind}`, row.happenedAt);
  }
  const lives = Object.values(questions).map((question): Life => {
    const when = (kind: string) => said.get(`${question.id} ${kind}`) ?? null;
    const moments: [Step, number | null][] = [
      ["asked", question.askedAt],
      ["withPerson", question.withPersonAt],
      ["answered", question.answeredAt],
      ["delivered", question.deliveredAt],
      ["resumed", when("QuestionResumed")],
      ["withdrawn", when("QuestionWithdrawn")],
      ["expired", when("QuestionExpired")],
    ];
    const steps = moments.flatMap(([step, at]) => (at === null ? [] : [{ step, at }]));
    steps.sort((left, right) => left.at - right.at);
    return { question, steps, isOpen: ["asked", "withOrchestrator", "pending"].includes(question.status) };
  });
  return lives.sort(
    (left, right) =>
      Number(right.isOpen) - Number(left.isOpen) || right.question.askedAt - left.question.askedAt,
  );
}
