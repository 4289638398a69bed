import { expect, test } from "vitest";
import { toTurnSegments } from "./protocolMessages";

/** As in runs of earlier versions; later ones have a mark instead. */
const KEY = "kdyxq7";
const MARK = "‹key›";
/** The segments in short: the text, or the kind, the receiver and the text of a message. */
const inShort = (content: string) =>
  toTurnSegments(content).map((segment) =>
    segment.type === "text"
      ? segment.text
      : [segment.kind, segment.to, segment.text, segment.progress].filter((part) => part !== null),
  );

test("messages are cut out of the text, without their keys", () => {
  const content = `I write the storage.
[PROGRESS ${KEY}]
progress: 0.5
task: storage written, tests are next
[/PROGRESS ${KEY}]
Next, the tests.
DONE:T1.1:files=4:the tests pass ${KEY}`;
  expect(inShort(content)).toEqual([
    "I write the storage.",
    ["progress", "storage written, tests are next", 0.5],
    "Next, the tests.",
    ["done", "the tests pass"],
  ]);
  expect(JSON.stringify(toTurnSegments(content))).not.toContain(KEY);
});

test.each<[string, unknown]>([
  [`DONE:T1.3 ${KEY}`, ["done", ""]],
  [`DONE:T1.3:it exists ${MARK}`, ["done", "it exists"]],
  [`[ASK_USER ${MARK}]\nquestion: Which port?\n[/ASK_USER ${MARK}]`, ["asked", "Which port?"]],
  [`[INVOKE:PO ${MARK}] Analyse it.\n[/INVOKE]`, ["called", "PO", "Analyse it."]],
  [`FAIL:T1.4:exit=2:the schema does not load ${KEY}`, ["failed", "the schema does not load"]],
  [
    `[ASK_USER ${KEY}]\nquestion: Which\nport?\noptions: [1, 2]\n[/ASK_USER ${KEY}]`,
    ["asked", "Which\nport?"],
  ],
  [`[ASK_USER ${KEY}] 로그인 방식은?`, ["asked", "로그인 방식은?"]],
  [`[INVOKE:PO ${KEY}]\nAnalyse it.\n[/INVOKE ${KEY}]`, ["called", "PO", "Analyse it."]],
  [
    `[DELIVER_RESULT:PO ${KEY}]\ntype: markdown\ncontent: # Result\nnote: it works`,
    ["result", "PO", "# Result\nnote: it works"],
  ],
  [
    `[DEPENDENCY_REQUEST ${KEY}]\ntype: api_key\nname: TEA_KEY\n[/DEPENDENCY_REQUEST ${KEY}]`,
    ["requested", "TEA_KEY"],
  ],
  [`[PROGRESS ${KEY}]\nprogress: 7\n[/PROGRESS]`, ["progress", "", 1]],
])("%j is a card", (content, card) => {
  expect(inShort(content)).toEqual([card]);
});

test.each([
  "DONE:T1.3",
  "DONE:T1.3 and more",
  "[PROGRESS report]\nprogress: 1",
  "DONE:T1.3 at last",
  "[ASK_USER]\nquestion: an example\n[/ASK_USER]",
  `[Ask_User ${KEY}]`,
  `[SOMETHING ${KEY}] else`,
  `see [PROGRESS ${KEY}] above`,
])("%j stays text", (content) => {
  expect(inShort(content)).toEqual([content]);
});

test("marks of keys are not shown in text either", () => {
  expect(inShort(`I end with DONE:T1 ${MARK}, as asked.\n[SOMETHING ${MARK}]`)).toEqual([
    "I end with DONE:T1, as asked.\n[SOMETHING]",
  ]);
});
