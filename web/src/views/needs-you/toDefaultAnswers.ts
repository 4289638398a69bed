import type { InboxEntry, QuestionRow } from "~/api/generated";

export type DefaultAnswer = { question: QuestionRow; answer: string };

/** The questions that the user may answer and that have a default. Permissions are never granted by default. */
export function toDefaultAnswers(
  entries: readonly InboxEntry[],
  questions: Readonly<Record<string, QuestionRow>>,
): DefaultAnswer[] {
  return entries.flatMap(({ item, actions }) => {
    const question = item.type === "question" ? questions[item.id] : undefined;
    if (!question || question.kind === "permission" || !actions.includes("answer")) return [];
    return question.default === null ? [] : [{ question, answer: question.default }];
  });
}
