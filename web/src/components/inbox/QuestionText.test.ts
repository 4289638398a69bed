import { expect, test } from "vitest";
import { splitHeading } from "./QuestionText";

test.each([
  ["By name?", "By name?", ""],
  ["By name?\n\nThere are 14 callers.\n", "By name?", "There are 14 callers."],
  [`${"long ".repeat(40)}\nmore`, `${"long ".repeat(40)}\nmore`, ""],
])("the question %j has the heading %j", (text, heading, rest) => {
  expect(splitHeading(text)).toEqual({ heading, rest });
});
