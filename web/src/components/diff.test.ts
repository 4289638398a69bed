import { expect, test } from "vitest";
import { parseDiff } from "./diff";

const DIFF = `diff --git a/src/old.rs b/src/old.rs
index 1..2 100644
--- a/src/old.rs
+++ b/src/old.rs
@@ -1,3 +1,3 @@
 same
--- a dash line
+++ a plus line
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/한글.png b/한글.png
Binary files a/한글.png and b/한글.png differ
`;

test("a diff is split into files, and lines that look like headers are content", () => {
  const [changed, gone, binary] = parseDiff(DIFF);
  expect(changed).toMatchObject({ path: "src/old.rs", added: 1, removed: 1 });
  expect(changed?.lines.map(({ kind }) => kind)).toEqual(["hunk", "same", "remove", "add"]);
  expect(changed?.lines[3]?.text).toBe("++ a plus line");
  expect(changed?.lines.map(({ before, after }) => [before, after])).toEqual([
    [null, null],
    [1, 1],
    [2, null],
    [null, 2],
  ]);
  expect(gone).toMatchObject({ path: "gone.txt", removed: 1 });
  expect(binary).toMatchObject({ path: "한글.png", binary: true });
  expect(parseDiff("")).toEqual([]);
});

test("each line has its numbers before and after the change", () => {
  const [file] = parseDiff("diff --git a/x b/x\n@@ -3,4 +5,3 @@ fn main\n a\n-b\n-c\n+d\n e\n");
  expect(file?.lines.slice(1).map(({ before, after }) => [before, after])).toEqual([
    [3, 5],
    [4, null],
    [5, null],
    [null, 6],
    [6, 7],
  ]);
});
