/** Decides which question the text in the chat answers. */

type AnswerTargetInput = {
  before: string | null;
  wasEmpty: boolean;
  isEmpty: boolean;
  pending: readonly { id: string }[];
};

/**
 * Text that is begun while exactly one question is open answers that question. The target does not change while the user
 * types: an answer to a question that was settled meanwhile is rejected, and never goes to another one.
 */
export function answerTarget({ before, wasEmpty, isEmpty, pending }: AnswerTargetInput): string | null {
  if (isEmpty) return null;
  const [only] = pending;
  return before ?? (wasEmpty && pending.length === 1 && only ? only.id : null);
}
