import type { PermissionScope, QuestionRow, UserCommand } from "~/api/generated";

export type PermissionDraft = {
  scope: PermissionScope;
  /** The pattern as edited; only used for `allow` of similar requests. */
  pattern: string;
  /** Told to the agent with a denial. */
  reason: string;
};

/** Returns the draft that a card begins with: the suggested scope and the proposed pattern. */
export function initialPermissionDraft(question: QuestionRow): PermissionDraft {
  const isSuggested = question.similar?.isSuggested ?? false;
  return { scope: isSuggested ? "run" : "once", pattern: question.similar?.pattern ?? "", reason: "" };
}

/** Returns the scope of similar requests: one in which later requests can follow. */
export function similarScope(scope: PermissionScope): PermissionScope {
  return scope === "once" ? "run" : scope;
}

/** Returns the command for an answer to a permission request. */
export function toPermissionAnswer(
  question: QuestionRow,
  answer: string,
  { scope, pattern, reason }: PermissionDraft,
  isSimilar: boolean,
): UserCommand {
  return {
    answer: {
      question: question.id,
      answer,
      scope: isSimilar ? similarScope(scope) : scope,
      ...(isSimilar && { pattern: pattern.trim() }),
      ...(answer === "deny" && reason.trim() !== "" && { reason: reason.trim() }),
    },
  };
}
