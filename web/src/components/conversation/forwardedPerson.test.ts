import { expect, test } from "vitest";
import type { TurnRow } from "~/api/generated";
import { forwardedPerson } from "./forwardedPerson";

const turnOfKind = (kind: TurnRow["kind"], role: TurnRow["role"] = "orchestrator") => ({
  role,
  kind,
  content: "tea",
});
const questionAnsweredBy = (by: string) => ({
  answeredBy: by,
  clarifications: [{ by, text: "tea", askedAt: 0 }],
});

test("the orchestrator forwards the answers and replies of a person", () => {
  expect(forwardedPerson(turnOfKind("answer"), questionAnsweredBy("person:ana"))).toBe("ana");
  expect(forwardedPerson(turnOfKind("clarification"), questionAnsweredBy("person:ana"))).toBe("ana");
});

test("other answers and other turns are not forwarded from a person", () => {
  expect(forwardedPerson(turnOfKind("answer"), questionAnsweredBy("orchestrator"))).toBe(null);
  expect(forwardedPerson(turnOfKind("prompt"), questionAnsweredBy("person:ana"))).toBe(null);
  expect(forwardedPerson(turnOfKind("answer", "agent"), questionAnsweredBy("person:ana"))).toBe(null);
  expect(forwardedPerson(turnOfKind("answer"), undefined)).toBe(null);
});
