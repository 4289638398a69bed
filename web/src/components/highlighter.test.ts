import { expect, test } from "vitest";
import { parseDiff } from "./diff";
import { highlightLines, languageOf } from "./highlighter";

const DIFF = `diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -1,4 +1,4 @@
 """A text
-over lines"""
+over more lines"""
 def run():
     return 1
`;

test("a text over several lines has one color in both versions of a file", () => {
  const [file] = parseDiff(DIFF);
  const spans = highlightLines("src/app.py", file?.lines ?? []);
  const colored = spans?.map((line) => line.map(({ text, kind }) => `${kind ?? ""}:${text}`));
  expect(colored?.slice(1)).toEqual([
    ['string:"""A text'],
    ['string:over lines"""'],
    ['string:over more lines"""'],
    ["keyword:def", ": ", "title:run", ":():"],
    [":    ", "keyword:return", ": ", "number:1"],
  ]);
});

test("every line keeps its text", () => {
  const [file] = parseDiff(DIFF);
  const lines = file?.lines ?? [];
  const spans = highlightLines("src/app.py", lines);
  expect(spans?.map((line) => line.map(({ text }) => text).join(""))).toEqual(lines.map(({ text }) => text));
});

test.each([
  ["src/a.rs", "rs"],
  ["web/x.tsx", "typescript"],
  ["Cargo.toml", "ini"],
  ["Makefile", "makefile"],
  ["notes.txt2", null],
  ["constructor", null],
])("the language of %s is %s", (path, language) => {
  expect(languageOf(path)).toBe(language);
});
