/** The inbox entries of a task, or of a session without a task. */

import type { RowsByKey } from "~/api/cache";
import type { InboxEntry } from "~/api/generated";

export type ItemOwner = { task: string } | { session: string };

export function toPendingItems(
  inbox: readonly InboxEntry[],
  questions: RowsByKey<"question">,
  of: ItemOwner,
): InboxEntry[] {
  if ("task" in of) return inbox.filter(({ task }) => task === of.task);
  return inbox.filter(({ item }) => item.type === "question" && questions[item.id]?.session === of.session);
}
