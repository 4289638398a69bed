import { expect, test } from "vitest";
import type { ToolUse } from "~/api/generated";
import { toParts } from "./toParts";

const use = (line: number, title: string): ToolUse => ({ line, title, status: "done" });

/** A turn in short: its words, and the titles of tools in brackets. */
function short(content: string, ...uses: ToolUse[]): string[] {
  return toParts({ content, tools: { uses } }).map((part) =>
    part.type === "words" ? part.text : `[${part.tools.map(({ title }) => title).join(" ")}]`,
  );
}

test("tools stand between the lines where they were used, and together where nothing was said between", () => {
  expect(short("one\ntwo\nthree", use(1, "a"), use(1, "b"), use(2, "c"))).toEqual([
    "one",
    "[a b]",
    "two",
    "[c]",
    "three",
  ]);
  expect(short("하나\n둘", use(0, "a"), use(2, "b"))).toEqual(["[a]", "하나\n둘", "[b]"]);
  // A blank line is no word.
  expect(short("one\n\ntwo", use(1, "a"), use(2, "b"))).toEqual(["one", "[a b]", "two"]);
  expect(short("", use(0, "a"))).toEqual(["[a]"]);
  expect(short("one")).toEqual(["one"]);
});

test("a place that is none loses nothing", () => {
  expect(short("one\ntwo", use(9, "a"), use(1, "b"))).toEqual(["one\ntwo", "[a b]"]);
});
