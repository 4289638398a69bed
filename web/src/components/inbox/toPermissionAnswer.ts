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

/** Returns the command for an answer to a permission request. */
export function toPermissionAnswer(
  question: QuestionRow,
  answer: string,
  { scope, pattern, reason }: PermissionDraft,
  isSimilar: boolean,
): UserCommand {
  // A pattern needs a scope in which later requests can follow.
  const keptScope = isSimilar && scope === "once" ? "run" : scope;
  return {
    answer: {
      question: question.id,
      answer,
      scope: keptScope,
      ...(isSimilar && { pattern: pattern.trim() }),
      ...(answer === "deny" && reason.trim() !== "" && { reason: reason.trim() }),
    },
  };
}
