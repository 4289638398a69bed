import { expect, test } from "vitest";
import { localizedText } from "./localizedText";

test.each([
  ["ko", { text: "T1.1 is done", korean: "T1.1 작업을 마침" }, "T1.1 작업을 마침"],
  ["en", { text: "T1.1 is done", korean: "T1.1 작업을 마침" }, "T1.1 is done"],
  ["ko", { text: "By name?", korean: null }, "By name?"],
  // A row of a log that was written before there was Korean.
  ["ko", { text: "T1.1 is done" }, "T1.1 is done"],
])("in the language %s the text of %o is %s", (language, row, text) => {
  expect(localizedText(row, language)).toBe(text);
});
