/** What waits for a person because of a task, or of a session that has none. */

import type { Table } from "~/api/cache";
import type { InboxEntry } from "~/api/generated";

export type AskedOf = { task: string } | { session: string };

export function toAsked(
  waiting: readonly InboxEntry[],
  questions: Table<"question">,
  of: AskedOf,
): InboxEntry[] {
  if ("task" in of) return waiting.filter(({ task }) => task === of.task);
  return waiting.filter(({ item }) => item.type === "question" && questions[item.id]?.session === of.session);
}
