import { expect, test } from "vitest";
import { readDraft, readStoredDrafts, writeDraft } from "./drafts";

test("each name has its own draft", () => {
  writeDraft("r1/question/q_1", "with tax");
  writeDraft("r1/question/q_2", "by name");
  expect([readDraft("r1/question/q_1"), readDraft("r1/question/q_2")]).toEqual(["with tax", "by name"]);
  writeDraft("r1/question/q_1", "");
  expect([readDraft("r1/question/q_1"), readDraft("r1/question/q_2")]).toEqual(["", "by name"]);
});

test("the drafts that were changed last are kept", () => {
  writeDraft("first", "a");
  writeDraft("second", "b");
  for (let n = 0; n < 198; n += 1) writeDraft(`more/${n}`, "c");
  writeDraft("first", "ab");
  writeDraft("one too many", "d");
  expect([readDraft("first"), readDraft("second"), readDraft("one too many")]).toEqual(["ab", "", "d"]);
});

test.each([
  ['[["r1/chat","hello"]]', [["r1/chat", "hello"]]],
  ['[["r1/chat","hello"],["r1/chat"],7]', [["r1/chat", "hello"]]],
  ['{"a":1}', []],
  ["not JSON", []],
  [null, []],
])("of the stored text %s the drafts %j are read", (stored, drafts) => {
  expect([...readStoredDrafts(stored)]).toEqual(drafts);
});
