import { expect, test } from "vitest";
import { parseVisible } from "./hiddenCharacters";

test("hidden characters are shown, and scripts and emoji stay", () => {
  for (const hidden of ["\u009b", "\u202e", "\u2066", "\u200b", "\u{e0041}", "\ufeff"])
    expect(parseVisible(JSON.stringify({ title: `a${hidden}b` }))).toEqual({ title: "a\ufffdb" });
  const text = "가나다 👩\u200d💻 e\u0301";
  expect(parseVisible(JSON.stringify(text))).toBe(text);
});
