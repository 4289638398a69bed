/** Comments on lines of a diff, which are sent to the agent as one message. Until then they are a draft on this device. */

import { useDraft } from "./inbox/drafts";

export type ReviewComment = {
  path: string;
  /** The line after the change, or before it if it is removed; `null` if the comment is about the file. */
  line: number | null;
  isRemoved: boolean;
  /** The text of the line. */
  quote: string;
  text: string;
};

type CommentPosition = Pick<ReviewComment, "path" | "line" | "isRemoved">;

export type ReviewComments = {
  comments: readonly ReviewComment[];
  /** Adds or changes the comment at its place. */
  write: (comment: ReviewComment) => void;
  remove: (place: CommentPosition) => void;
};

const isSamePlace = (left: CommentPosition, right: CommentPosition) =>
  left.path === right.path && left.line === right.line && left.isRemoved === right.isRemoved;

/** The unsent comments on a phase, and a function that removes all of them. */
export function useReviewComments(run: string, phase: number): ReviewComments & { clear: () => void } {
  const [stored, store] = useDraft(run, "comments", phase);
  const comments = parseComments(stored);
  const save = (next: readonly ReviewComment[]) => store(next.length === 0 ? "" : JSON.stringify(next));
  const without = (place: CommentPosition) => comments.filter((comment) => !isSamePlace(comment, place));
  return {
    comments,
    write: (comment) => save([...without(comment), comment]),
    remove: (place) => save(without(place)),
    clear: () => save([]),
  };
}

/** Returns the stored comments; none if they are missing or unreadable. */
export function parseComments(stored: string): ReviewComment[] {
  try {
    const comments: unknown = JSON.parse(stored || "[]");
    return Array.isArray(comments) ? comments.filter(isComment) : [];
  } catch {
    return [];
  }
}

function isComment(value: unknown): value is ReviewComment {
  const { path, line, isRemoved, quote, text } = (value ?? {}) as Record<string, unknown>;
  return (
    [path, quote, text].every((part) => typeof part === "string") &&
    (line === null || typeof line === "number") &&
    typeof isRemoved === "boolean"
  );
}

export const findComment = (
  comments: readonly ReviewComment[],
  place: CommentPosition,
): ReviewComment | undefined => comments.find((comment) => isSamePlace(comment, place));

const isWritten = ({ text }: ReviewComment) => text.trim() !== "";

export const countWritten = (comments: readonly ReviewComment[]): number => comments.filter(isWritten).length;

/** The reason and the comments by file and line as one text for the agent. */
export function composeReview(reason: string, comments: readonly ReviewComment[]): string {
  const sorted = comments
    .filter(isWritten)
    .sort((left, right) => left.path.localeCompare(right.path) || (left.line ?? 0) - (right.line ?? 0));
  const parts = sorted.map(({ path, line, isRemoved, quote, text }) =>
    line === null
      ? `${path}\n${text.trim()}`
      : `${path}:${line}\n> ${isRemoved ? "- " : ""}${quote.trim()}\n${text.trim()}`,
  );
  return [reason.trim(), ...parts].filter(Boolean).join("\n\n");
}
