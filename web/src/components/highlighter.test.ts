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

test("a text that is open at the end of a part of a file does not color the next part", () => {
  const [file] = parseDiff(`diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,1 +1,2 @@
 x = 1
+s = """open
@@ -9,1 +10,2 @@
 y = 2
+return y
`);
  const spans = highlightLines("a.py", file?.lines ?? []);
  expect(spans?.[1]).toContainEqual({ text: "1", kind: "number" });
  expect(spans?.at(-1)?.[0]).toEqual({ text: "return", kind: "keyword" });
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
