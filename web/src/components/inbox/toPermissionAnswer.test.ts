import { expect, test } from "vitest";
import type { QuestionRow } from "~/api/generated";
import { initialPermissionDraft, toPermissionAnswer } from "./toPermissionAnswer";

const question = (isSuggested: boolean) =>
  ({ id: "q_1", similar: { pattern: "run:npm test *", nAllowed: 3, isSuggested } }) as QuestionRow;

test("a suggested pattern preselects the run", () => {
  expect(initialPermissionDraft(question(true)).scope).toBe("run");
  expect(initialPermissionDraft(question(false)).scope).toBe("once");
  expect(initialPermissionDraft(question(false)).pattern).toBe("run:npm test *");
});

test("similar requests are allowed for the run unless another scope is chosen", () => {
  const draft = { scope: "once", pattern: " run:npm * ", reason: "" } as const;
  const answer = { question: "q_1", answer: "allow", scope: "run", pattern: "run:npm *" };
  expect(toPermissionAnswer(question(false), "allow", draft, true)).toEqual({ answer });
  const project = toPermissionAnswer(question(false), "allow", { ...draft, scope: "project" }, true);
  expect(project).toEqual({ answer: { ...answer, scope: "project" } });
});

test("only a denial carries the reason", () => {
  const draft = { scope: "once", pattern: "", reason: " not now " } as const;
  const denied = { question: "q_1", answer: "deny", scope: "once", reason: "not now" };
  expect(toPermissionAnswer(question(false), "deny", draft, false)).toEqual({ answer: denied });
  const allowed = { question: "q_1", answer: "allow", scope: "once" };
  expect(toPermissionAnswer(question(false), "allow", draft, false)).toEqual({ answer: allowed });
});
