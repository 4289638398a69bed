import { expect, test } from "vitest";
import { NO_SELECTION, updateSelection } from "./cardSelection";

/** The selection after each of the lists. */
const selectionsAfter = (...lists: string[][]) => {
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
    "the first card after the list became empty is selected automatically",
    [["a"], [], ["b"]],
    ["a by default", "null by automatic", "b by automatic"],
  ],
  [
    "the first card of a list that was empty at first is selected automatically",
    [[], ["b"]],
    ["null by automatic", "b by automatic"],
  ],
])("%s", (_, lists, expected) => {
  expect(selectionsAfter(...lists)).toEqual(expected);
});

test("an unchanged selection stays the same object", () => {
  for (const names of [[], ["a", "b"]]) {
    const selection = updateSelection(NO_SELECTION, names);
    expect(updateSelection(selection, names)).toBe(selection);
  }
});
