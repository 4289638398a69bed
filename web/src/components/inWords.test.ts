import { expect, test } from "vitest";
import { inWords } from "./inWords";

test.each([
  ["ko", { text: "T1.1 is done", korean: "T1.1 작업을 마침" }, "T1.1 작업을 마침"],
  ["en", { text: "T1.1 is done", korean: "T1.1 작업을 마침" }, "T1.1 is done"],
  ["ko", { text: "By name?", korean: null }, "By name?"],
  // A row of a log that is older than its Korean.
  ["ko", { text: "T1.1 is done" }, "T1.1 is done"],
])("in %s %o says %s", (language, row, said) => {
  expect(inWords(row, language)).toBe(said);
});
