import type { RowsByKey } from "~/api/cache";
import type { InboxEntry, QuestionRow } from "~/api/generated";

/** The questions that wait for the user. Equal permission requests are one question, as in the inbox. */
export function toOpenQuestions(
  questions: RowsByKey<"question">,
  inbox: readonly InboxEntry[],
): QuestionRow[] {
  const repeated = new Set(inbox.flatMap(({ equal }) => equal));
  return Object.values(questions).filter(({ id, status }) => status === "pending" && !repeated.has(id));
}
