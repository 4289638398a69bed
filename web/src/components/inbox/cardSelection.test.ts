import { expect, test } from "vitest";
import { NO_SELECTION, updateSelection } from "./cardSelection";

/** The selection after each of the lists. */
const through = (...lists: string[][]) => {
  let selection = NO_SELECTION;
  return lists.map((names) => {
    selection = updateSelection(selection, names);
    return `${selection.name} by ${selection.by}`;
  });
};

test.each([
  ["the first card is selected by default", [["a", "b"]], ["a by default"]],
  [
    "a more urgent card does not change the selection",
    [
      ["a", "b"],
      ["x", "a", "b"],
    ],
    ["a by default", "a by default"],
  ],
  ["the next card is selected after a removal", [["a", "b"], ["b"]], ["a by default", "b by automatic"]],
  [
    "the next card is the one in the same position",
    [["a"], ["x", "a", "b"], ["x", "b"]],
    ["a by default", "a by default", "b by automatic"],
  ],
  [
    "after the last card the new last one is selected",
    [["a"], ["x", "a"], ["x"]],
    ["a by default", "a by default", "x by automatic"],
  ],
  [
    "a card in a list that became empty is new",
    [["a"], [], ["b"]],
    ["a by default", "null by automatic", "b by automatic"],
  ],
  ["a card in a list that was empty at first is new", [[], ["b"]], ["null by automatic", "b by automatic"]],
])("%s", (_, lists, expected) => {
  expect(through(...lists)).toEqual(expected);
});

test("an unchanged selection stays the same object", () => {
  for (const names of [[], ["a", "b"]]) {
    const selection = updateSelection(NO_SELECTION, names);
    expect(updateSelection(selection, names)).toBe(selection);
  }
});
