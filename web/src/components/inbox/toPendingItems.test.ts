import { expect, test } from "vitest";
import type { InboxEntry, QuestionRow } from "~/api/generated";
import { toPendingItems } from "./toPendingItems";

const entry = (item: InboxEntry["item"], task: string | null) => ({ item, task }) as InboxEntry;
const inbox = [
  entry({ type: "question", id: "q_1" }, "T1.1"),
  entry({ type: "request", id: "d_1" }, "T1.1"),
  entry({ type: "question", id: "q_2" }, null),
  entry({ type: "gate", id: 1 }, null),
];
const question = (session: string) => ({ session }) as QuestionRow;
const questions = { q_1: question("s_3"), q_2: question("s_1") };
const ids = (of: Parameters<typeof toPendingItems>[2]) =>
  toPendingItems(inbox, questions, of).map(({ item }) => item.id);

test("a task has all its entries, a session without a task its own questions", () => {
  expect(ids({ task: "T1.1" })).toEqual(["q_1", "d_1"]);
  expect(ids({ session: "s_1" })).toEqual(["q_2"]);
  expect(ids({ session: "s_2" })).toEqual([]);
});
