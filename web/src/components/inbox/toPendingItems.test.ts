import { expect, test } from "vitest";
import type { InboxEntry, QuestionRow } from "~/api/generated";
import { toPendingItems } from "./toPendingItems";

const inboxEntry = (item: InboxEntry["item"], task: string | null) => ({ item, task }) as InboxEntry;
const inbox = [
  inboxEntry({ type: "question", id: "q_1" }, "T1.1"),
  inboxEntry({ type: "request", id: "d_1" }, "T1.1"),
  inboxEntry({ type: "question", id: "q_2" }, null),
  inboxEntry({ type: "gate", id: 1 }, null),
];
const questionOfSession = (session: string) => ({ session }) as QuestionRow;
const questions = { q_1: questionOfSession("s_3"), q_2: questionOfSession("s_1") };
const pendingItemIds = (of: Parameters<typeof toPendingItems>[2]) =>
  toPendingItems(inbox, questions, of).map(({ item }) => item.id);

test("a task has all its inbox entries, and a session without a task has its own questions", () => {
  expect(pendingItemIds({ task: "T1.1" })).toEqual(["q_1", "d_1"]);
  expect(pendingItemIds({ session: "s_1" })).toEqual(["q_2"]);
  expect(pendingItemIds({ session: "s_2" })).toEqual([]);
});
