import { expect, test } from "vitest";
import { withoutKeys } from "./eventText";

test.each([
  ["ada ended its turn: [PROGRESS kf7py7]…", "ada ended its turn: [PROGRESS]…"],
  ["[INVOKE: bob k3y9a] please [/INVOKE k3y9a]", "[INVOKE: bob] please [/INVOKE]"],
  ["merged [T1.1] and [x]", "merged [T1.1] and [x]"],
])("the session key is left out of %j", (text, expected) => {
  expect(withoutKeys(text)).toBe(expected);
});
