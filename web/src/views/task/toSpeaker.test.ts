import { expect, test } from "vitest";
import type { TurnRow } from "~/api/generated";
import { toSpeaker } from "./toSpeaker";

const turn = (kind: TurnRow["kind"], role: TurnRow["role"] = "orchestrator") => ({
  role,
  kind,
  content: "tea",
});
const asked = (by: string) => ({
  answeredBy: by,
  askedBack: [{ by, text: "tea", askedAt: 0 }],
});

test("what a person answered or asked back is theirs", () => {
  expect(toSpeaker(turn("answer"), asked("person:ana"))).toBe("ana");
  expect(toSpeaker(turn("askBack"), asked("person:ana"))).toBe("ana");
});

test("what the orchestrator or the clock answered is nobody's, and neither is what is only told", () => {
  expect(toSpeaker(turn("answer"), asked("orchestrator"))).toBe(null);
  expect(toSpeaker(turn("prompt"), asked("person:ana"))).toBe(null);
  expect(toSpeaker(turn("answer", "agent"), asked("person:ana"))).toBe(null);
  expect(toSpeaker(turn("answer"), undefined)).toBe(null);
});
