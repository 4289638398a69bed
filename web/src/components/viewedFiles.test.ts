import { expect, test } from "vitest";
import { parseDiff } from "./diff";
import { fileVersion } from "./viewedFiles";

const version = (line: string, of = "phase 1") => {
  const [file] = parseDiff(`diff --git a/x b/x\n@@ -1 +1 @@\n${line}\n`);
  return file && fileVersion(of, file);
};

test("a changed line, another sign and another place make another version", () => {
  const versions = [version("+a"), version("+b"), version("-a"), version("+a", "phase 2")];
  expect(new Set(versions).size).toBe(4);
  expect(version("+a")).toBe(versions[0]);
});
