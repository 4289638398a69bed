/** Which question the words in the box of the chat answer. */

type Writing = {
  before: string | null;
  wasEmpty: boolean;
  isEmpty: boolean;
  pending: readonly { id: string }[];
};

/**
 * Who begins to write while one question waits answers that one. It stays so whatever comes or goes while they write: an
 * answer to what is settled meanwhile is refused, and never goes to another question.
 */
export function toTarget({ before, wasEmpty, isEmpty, pending }: Writing): string | null {
  if (isEmpty) return null;
  const [only] = pending;
  return before ?? (wasEmpty && pending.length === 1 && only ? only.id : null);
}
