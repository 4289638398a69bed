import { expect, test } from "vitest";
import type { TurnRow } from "~/api/generated";
import { turnSpeaker } from "./turnSpeaker";

const turn = (kind: TurnRow["kind"], role: TurnRow["role"] = "orchestrator") => ({
  role,
  kind,
  content: "tea",
});
const question = (by: string) => ({
  answeredBy: by,
  clarifications: [{ by, text: "tea", askedAt: 0 }],
});

test("a person's answers and replies have the person as speaker", () => {
  expect(turnSpeaker(turn("answer"), question("person:ana"))).toBe("ana");
  expect(turnSpeaker(turn("clarification"), question("person:ana"))).toBe("ana");
});

test("other answers and other turns have no person as speaker", () => {
  expect(turnSpeaker(turn("answer"), question("orchestrator"))).toBe(null);
  expect(turnSpeaker(turn("prompt"), question("person:ana"))).toBe(null);
  expect(turnSpeaker(turn("answer", "agent"), question("person:ana"))).toBe(null);
  expect(turnSpeaker(turn("answer"), undefined)).toBe(null);
});
