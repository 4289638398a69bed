import { expect, test } from "vitest";
import { composeReview, countWritten, parseComments, type ReviewComment } from "./reviewComments";

const comment = (line: number | null, text: string, more: Partial<ReviewComment> = {}): ReviewComment => ({
  path: "tea.txt",
  line,
  isRemoved: false,
  quote: "  first",
  text,
  ...more,
});

test("the reason and all comments are one message, by file and line", () => {
  const comments = [
    comment(12, "Why twice?"),
    comment(3, "Name it.", { isRemoved: true }),
    comment(null, "Too long.", { path: "a.md" }),
    comment(5, "  "),
  ];
  expect(composeReview(" Almost. ", comments)).toBe(
    "Almost.\n\na.md\nToo long.\n\ntea.txt:3\n> - first\nName it.\n\ntea.txt:12\n> first\nWhy twice?",
  );
  expect(composeReview("", [comment(1, "Here.")])).toBe("tea.txt:1\n> first\nHere.");
  expect(countWritten(comments)).toBe(3);
});

test("comments that are not readable are dropped", () => {
  expect(parseComments("")).toEqual([]);
  expect(parseComments("{")).toEqual([]);
  expect(parseComments(JSON.stringify([comment(1, "x"), { path: 1 }, null]))).toEqual([comment(1, "x")]);
});
