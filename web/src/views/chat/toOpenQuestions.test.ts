import { expect, test } from "vitest";
import type { InboxEntry, QuestionRow, QuestionState } from "~/api/generated";
import { toOpenQuestions } from "./toOpenQuestions";

const question = (id: string, status: QuestionState) => ({ id, status }) as QuestionRow;
const entry = (id: string, ...equal: string[]) => ({ item: { type: "question", id }, equal }) as InboxEntry;

test("equal permission requests are one open question, and settled ones are none", () => {
  const questions = {
    q_1: question("q_1", "pending"),
    q_2: question("q_2", "pending"),
    q_3: question("q_3", "answered"),
    q_4: question("q_4", "withOrchestrator"),
  };
  const ids = (...inbox: InboxEntry[]) => toOpenQuestions(questions, inbox).map(({ id }) => id);
  expect(ids(entry("q_1", "q_2"))).toEqual(["q_1"]);
  expect(ids(entry("q_1"), entry("q_2"))).toEqual(["q_1", "q_2"]);
});
