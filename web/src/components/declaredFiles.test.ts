import { expect, test } from "vitest";
import { isDeclared } from "./declaredFiles";

test.each([
  ["src/a.rs", ["src/a.rs"], true],
  ["src/b.rs", ["src/a.rs"], false],
  ["src/login/a.rs", ["docs", "./src/"], true],
  ["srcs/a.rs", ["src"], false],
  ["src/a.rs", ["src/*.rs"], true],
  ["docs/a.md", ["src/*.rs"], false],
  ["anything", ["**"], true],
  ["anything", [], true],
])("%s with the declared files %j", (path, declared, expected) => {
  expect(isDeclared(path, declared)).toBe(expected);
});
