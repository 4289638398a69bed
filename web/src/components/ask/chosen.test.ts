import { expect, test } from "vitest";
import { NOTHING_YET, toChosen } from "./chosen";

/** What is chosen after each of the lists, one after the other. */
const through = (...lists: string[][]) => {
  let chosen = NOTHING_YET;
  return lists.map((names) => {
    chosen = toChosen(chosen, names);
    return `${chosen.name} by ${chosen.by}`;
  });
};

test.each([
  ["the first is chosen at first sight", [["a", "b"]], ["a by sight"]],
  [
    "a more urgent one changes nothing",
    [
      ["a", "b"],
      ["x", "a", "b"],
    ],
    ["a by sight", "a by sight"],
  ],
  ["the next one is chosen by itself", [["a", "b"], ["b"]], ["a by sight", "b by itself"]],
  [
    "the next is the one in its place",
    [["a"], ["x", "a", "b"], ["x", "b"]],
    ["a by sight", "a by sight", "b by itself"],
  ],
  ["behind the last comes the last", [["a"], ["x", "a"], ["x"]], ["a by sight", "a by sight", "x by itself"]],
  [
    "what comes to an empty list is news",
    [["a"], [], ["b"]],
    ["a by sight", "null by itself", "b by itself"],
  ],
  ["also where it was empty at first", [[], ["b"]], ["null by itself", "b by itself"]],
])("%s", (_, lists, expected) => {
  expect(through(...lists)).toEqual(expected);
});

test("what stays as it is remains the same, so that nothing is drawn anew", () => {
  for (const names of [[], ["a", "b"]]) {
    const chosen = toChosen(NOTHING_YET, names);
    expect(toChosen(chosen, names)).toBe(chosen);
  }
});
