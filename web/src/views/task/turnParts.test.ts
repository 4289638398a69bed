import { expect, test } from "vitest";
import type { ToolUse } from "~/api/generated";
import { toTurnParts } from "./turnParts";

const use = (line: number, title: string): ToolUse => ({ line, title, status: "done" });

/** The text of a turn, with the titles of tools in brackets. */
function short(content: string, ...uses: ToolUse[]): string[] {
  return toTurnParts({ content, tools: { uses } }).map((part) =>
    part.type === "text" ? part.text : `[${part.tools.map(({ title }) => title).join(" ")}]`,
  );
}

test("tool calls are between the lines where they were made, and consecutive ones together", () => {
  expect(short("one\ntwo\nthree", use(1, "a"), use(1, "b"), use(2, "c"))).toEqual([
    "one",
    "[a b]",
    "two",
    "[c]",
    "three",
  ]);
  expect(short("하나\n둘", use(0, "a"), use(2, "b"))).toEqual(["[a]", "하나\n둘", "[b]"]);
  // A blank line is not text.
  expect(short("one\n\ntwo", use(1, "a"), use(2, "b"))).toEqual(["one", "[a b]", "two"]);
  expect(short("", use(0, "a"))).toEqual(["[a]"]);
  expect(short("one")).toEqual(["one"]);
});

test("a line number out of range loses nothing", () => {
  expect(short("one\ntwo", use(9, "a"), use(1, "b"))).toEqual(["one\ntwo", "[a b]"]);
});
