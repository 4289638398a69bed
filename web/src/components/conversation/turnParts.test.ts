import { expect, test } from "vitest";
import type { ToolUse } from "~/api/generated";
import { toTurnParts } from "./turnParts";

const toolUse = (line: number, title: string): ToolUse => ({ line, title, status: "done" });

/** The text of a turn, with the titles of tools in brackets. */
function partTexts(content: string, ...uses: ToolUse[]): string[] {
  return toTurnParts({ content, tools: { uses } }).map((part) =>
    part.type === "text" ? part.text : `[${part.tools.map(({ title }) => title).join(" ")}]`,
  );
}

test("tool calls are between the lines where they were made, and consecutive ones are grouped", () => {
  expect(partTexts("one\ntwo\nthree", toolUse(1, "a"), toolUse(1, "b"), toolUse(2, "c"))).toEqual([
    "one",
    "[a b]",
    "two",
    "[c]",
    "three",
  ]);
  expect(partTexts("하나\n둘", toolUse(0, "a"), toolUse(2, "b"))).toEqual(["[a]", "하나\n둘", "[b]"]);
  // A blank line is not text.
  expect(partTexts("one\n\ntwo", toolUse(1, "a"), toolUse(2, "b"))).toEqual(["one", "[a b]", "two"]);
  expect(partTexts("", toolUse(0, "a"))).toEqual(["[a]"]);
  expect(partTexts("one")).toEqual(["one"]);
});

test("a tool call with a line number out of range is kept", () => {
  expect(partTexts("one\ntwo", toolUse(9, "a"), toolUse(1, "b"))).toEqual(["one\ntwo", "[a b]"]);
});
