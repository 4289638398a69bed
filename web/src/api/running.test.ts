import { expect, test } from "vitest";
import type { StreamEvent } from "./eventStream";
import type { Glimpsed } from "./generated";
import { Running } from "./running";

const seen = (what: Glimpsed["what"], session = "s_1"): StreamEvent => ({
  glimpse: { run: "r1", session, what },
});
const words = (text: string) => seen({ type: "words", text });
const tool = (id: string, title: string, status: "running" | "done" | "failed") =>
  seen({ type: "tool", id, title, status });
const turn = (index: number, row: object = {}): StreamEvent => ({
  change: {
    run: "r1",
    sequence: index,
    kind: "turn",
    key: `T1/${index}`,
    row: { task: "T1", index, role: "agent", kind: "text", session: "s_1", content: "", ...row },
  },
});

/** What the running turn of the session looks like after all this. */
function after(...batches: StreamEvent[][]) {
  const running = new Running();
  for (const batch of batches) running.hear(batch);
  const { parts, trouble, row } = running.of("r1", "s_1") ?? { parts: [], trouble: null, row: null };
  const shown = parts.map((part) => (part.type === "words" ? part.text : `${part.status} ${part.title}`));
  return { shown, trouble, row: row?.index };
}

test("words and tools stand in their order, each tool once", () => {
  const { shown } = after(
    [words("I "), words("test.\n"), tool("1", "make", "running")],
    [tool("1", "", "failed"), words("It failed.")],
  );
  expect(shown).toEqual(["I test.\n", "failed make", "It failed."]);
});

test("the row of a turn takes its place, and what comes behind it is the next turn", () => {
  expect(after([words("one"), turn(3)])).toMatchObject({ shown: ["one"], row: 3 });
  // In the same moment, and in the order in which it was heard.
  expect(after([words("one"), turn(3), words("two")])).toMatchObject({ shown: ["two"], row: undefined });
});

test("what is told in the middle of a turn does not end it", () => {
  const others = [
    turn(3, { kind: "step" }),
    turn(4, { kind: "question" }),
    turn(5, { role: "orchestrator" }),
  ];
  const another = turn(6, { session: "s_2" });
  expect(after([words("one"), ...others, another])).toMatchObject({ shown: ["one"], row: undefined });
});

test("trouble is shown until the agent goes on", () => {
  const busy = seen({ type: "trouble", text: "tries again" });
  expect(after([busy]).trouble).toBe("tries again");
  expect(after([busy, words("one")]).trouble).toBeNull();
});

test("however much is said, only so much is kept", () => {
  const running = new Running();
  for (let n = 0; n < 500; n++) running.hear([words("x".repeat(100)), tool(String(n), "make", "done")]);
  for (let n = 0; n < 500; n++) running.hear([words("y".repeat(100))]);
  expect(running.of("r1", "s_1")?.parts.length).toBe(60);
  expect(running.of("r1", "s_1")?.parts.at(-1)).toEqual({ type: "words", text: "y".repeat(8000) });
  for (let n = 0; n < 500; n++) running.hear([seen({ type: "words", text: "x" }, `s_${n}`)]);
  expect(running.of("r1", "s_499")).toBeDefined();
  expect(running.of("r1", "s_2")).toBeUndefined();
});
