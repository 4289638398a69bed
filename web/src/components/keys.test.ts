import { expect, test } from "vitest";
import { isHeld, nameOf } from "./keys";

const none = { metaKey: false, ctrlKey: false, altKey: false, shiftKey: false };

test.each([
  [{ key: "j", code: "KeyJ" }, "j"],
  [{ key: "J", code: "KeyJ", shiftKey: true }, "j"],
  [{ key: "k", code: "KeyK", ctrlKey: true }, "mod+k"],
  [{ key: "?", code: "Slash", shiftKey: true }, "?"],
  // A layout without QWERTY: the letter counts, not its place.
  [{ key: "j", code: "KeyC" }, "j"],
  // Hangul, on a Mac and on Windows.
  [{ key: "ㅓ", code: "KeyJ" }, "j"],
  [{ key: "Process", code: "KeyK" }, "k"],
  [{ key: "ㅏ", code: "KeyK", metaKey: true }, "mod+k"],
  [{ key: "Process", code: "BracketLeft" }, "["],
  [{ key: "Process", code: "Slash", shiftKey: true }, "?"],
  [{ key: "Process", code: "Digit1" }, "1"],
  [{ key: "Enter", code: "Enter" }, "Enter"],
])("%o is %s", (pressed, name) => {
  expect(nameOf({ ...none, ...pressed })).toBe(name);
});

test.each([
  ["1", true, true],
  ["1", false, false],
  // Moving on and on is what one holds these for.
  ["j", true, false],
])("%s with repeat %s is held: %s", (name, repeat, held) => {
  expect(isHeld(name, { repeat })).toBe(held);
});
