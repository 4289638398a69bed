import { expect, test } from "vitest";
import { isRepeatedNumberKey, shortcutName } from "./shortcuts";

const none = { metaKey: false, ctrlKey: false, altKey: false, shiftKey: false };

test.each([
  [{ key: "j", code: "KeyJ" }, "j"],
  [{ key: "J", code: "KeyJ", shiftKey: true }, "j"],
  [{ key: "k", code: "KeyK", ctrlKey: true }, "mod+k"],
  [{ key: "?", code: "Slash", shiftKey: true }, "?"],
  // A layout other than QWERTY: the letter counts, not its position.
  [{ key: "j", code: "KeyC" }, "j"],
  // Hangul, on a Mac and on Windows.
  [{ key: "ㅓ", code: "KeyJ" }, "j"],
  [{ key: "Process", code: "KeyK" }, "k"],
  [{ key: "ㅏ", code: "KeyK", metaKey: true }, "mod+k"],
  [{ key: "Process", code: "BracketLeft" }, "["],
  [{ key: "Process", code: "Slash", shiftKey: true }, "?"],
  [{ key: "Process", code: "Digit1" }, "1"],
  [{ key: "Enter", code: "Enter" }, "Enter"],
])("the key press %o is named %s", (pressed, name) => {
  expect(shortcutName({ ...none, ...pressed })).toBe(name);
});

test.each([
  ["1", true, true],
  ["1", false, false],
  // Holding this key moves through the list.
  ["j", true, false],
])("the key %s with repeat %s is a repeated number key: %s", (name, repeat, isRepeated) => {
  expect(isRepeatedNumberKey(name, { repeat })).toBe(isRepeated);
});
