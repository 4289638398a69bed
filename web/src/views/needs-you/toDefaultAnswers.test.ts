import { expect, test } from "vitest";
import type { InboxEntry, QuestionRow } from "~/api/generated";
import { toDefaultAnswers } from "./toDefaultAnswers";

const entry = (id: string, actions: InboxEntry["actions"] = ["answer"]) =>
  ({ item: { type: "question", id }, actions }) as InboxEntry;
const question = (id: string, more: Partial<QuestionRow>) =>
  ({ id, kind: "text", default: null, ...more }) as QuestionRow;

test("only questions with a default are answered with it, never permissions", () => {
  const questions = {
    q_1: question("q_1", { default: "8080" }),
    q_2: question("q_2", {}),
    q_3: question("q_3", { default: "allow", kind: "permission" }),
    q_4: question("q_4", { default: "no" }),
  };
  const entries = [entry("q_1"), entry("q_2"), entry("q_3"), entry("q_4", []), entry("q_9")];
  const gate = { item: { type: "gate", id: 1 }, actions: ["approve"] } as unknown as InboxEntry;
  const answers = toDefaultAnswers([...entries, gate], questions);
  expect(answers.map(({ question, answer }) => [question.id, answer])).toEqual([["q_1", "8080"]]);
});
