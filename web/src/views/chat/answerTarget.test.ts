import { expect, test } from "vitest";
import { answerTarget } from "./answerTarget";

const pendingQuestions = (...ids: string[]) => ids.map((id) => ({ id }));
const started = { before: null, wasEmpty: true, isEmpty: false };
const continued = { wasEmpty: false, isEmpty: false };

test.each([
  ["the open question when typing starts", { ...started, pending: pendingQuestions("a") }, "a"],
  ["none if several are open", { ...started, pending: pendingQuestions("a", "b") }, null],
  ["none if none is open", { ...started, pending: [] }, null],
  ["the same when more arrive", { ...continued, before: "a", pending: pendingQuestions("a", "b") }, "a"],
  [
    "the same when it is settled and another one is open",
    { ...continued, before: "a", pending: pendingQuestions("b") },
    "a",
  ],
  [
    "none that arrived after typing started",
    { ...continued, before: null, pending: pendingQuestions("b") },
    null,
  ],
  [
    "none once the text is empty",
    { before: "a", wasEmpty: false, isEmpty: true, pending: pendingQuestions("a") },
    null,
  ],
])("text answers %s", (_, change, target) => {
  expect(answerTarget(change)).toBe(target);
});
