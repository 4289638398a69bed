import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import en from "./en.json";
import ko from "./ko.json";
import { detectLanguage } from "./setup";

/** All keys with their values; the plural forms of a key count as one. */
function translationsByKey(translations: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(translations)) {
    const key = path + name.replace(/_(one|other)$/, "");
    if (typeof value === "string") found.set(key, value);
    else for (const [inner, text] of translationsByKey(value, `${key}.`)) found.set(inner, text);
  }
  return found;
}

const placeholdersIn = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();

describe("translations", () => {
  test("both languages have the same keys", () => {
    expect([...translationsByKey(ko).keys()].sort()).toEqual([...translationsByKey(en).keys()].sort());
  });

  test("both languages have the same placeholders", () => {
    const korean = translationsByKey(ko);
    for (const [key, text] of translationsByKey(en))
      expect([key, placeholdersIn(korean.get(key) ?? "")]).toEqual([key, placeholdersIn(text)]);
  });

  test("every key that the page uses exists, and every key is used", () => {
    const folder = join(import.meta.dirname, "..");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.tsx?$/.test(name),
    );
    const source = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    const known = translationsByKey(en);
    for (const [, key] of source.matchAll(/\bt\(\s*"([\w.]+)"/g))
      expect(known.has(key ?? ""), key).toBe(true);
    const dynamic = [...source.matchAll(/\bt\(\s*`([\w.]+)\.\$\{/g)].map(([, prefix]) => `${prefix}.`);
    for (const key of known.keys()) {
      const isUsed = source.includes(`"${key}"`) || dynamic.some((prefix) => key.startsWith(prefix));
      expect(isUsed, `${key} is not used`).toBe(true);
    }
  });
});

/** Particles that depend on the last sound of the word before, which is unknown for a name or an id. */
const PARTICLE = /\}\}(은|는|이|가|을|를|과|와|으?로|\(으\)로|이?나|이?라고)(?![가-힣])/;

test("no Korean particle follows a placeholder", () => {
  for (const [key, text] of translationsByKey(ko)) expect(text, key).not.toMatch(PARTICLE);
});

const repository = join(import.meta.dirname, "../../..");
const readRustSource = (path: string) => readFileSync(join(repository, path), "utf8");

test("every kind of event has a name", () => {
  const events = readRustSource("crates/domain/src/event.rs").split("\nevents! {\n")[1] ?? "";
  const kinds = [...events.matchAll(/^ {4}(\w+)(?: \(formerly "\w+"\))? \{/gm)].map(([, kind = ""]) => kind);
  expect(new Set(kinds).size).toBeGreaterThan(100);
  for (const kind of kinds) expect(translationsByKey(en).has(`event.${kind}`), kind).toBe(true);
});

test("every kind of problem has a title", () => {
  const problems = readRustSource("crates/server/src/problem_code.rs");
  const rejections = readRustSource("crates/engine/src/rejection.rs").split("pub fn code(")[1] ?? "";
  const codes = [
    ...problems.matchAll(/=> \("([a-z-]+)", StatusCode/g),
    ...(rejections.split("pub fn ")[0] ?? "").matchAll(/=> "([a-z-]+)",/g),
  ];
  expect(codes.length).toBeGreaterThan(50);
  for (const [, code] of codes) expect(translationsByKey(en).has(`problem.${code}`), code).toBe(true);
});

test.each([
  [null, ["ko-KR", "en"], "ko"],
  [null, ["fr", "de"], "en"],
  ["en", ["ko"], "en"],
])(
  "the language is the stored one (%s), else the first known one that the browser prefers (%s)",
  (stored, preferred, language) => {
    expect(detectLanguage(stored, preferred)).toBe(language);
  },
);
