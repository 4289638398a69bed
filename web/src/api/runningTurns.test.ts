import { expect, test } from "vitest";
import type { StreamEvent } from "./eventStream";
import type { SessionActivity } from "./generated";
import { RunningTurns } from "./runningTurns";

const activity = (value: SessionActivity["activity"], session = "s_1"): StreamEvent => ({
  activity: { run: "r1", session, activity: value },
});
const text = (text: string) => activity({ type: "text", text });
const tool = (id: string, title: string, status: "running" | "done" | "failed") =>
  activity({ type: "tool", id, title, status });
const turn = (index: number, row: object = {}): StreamEvent => ({
  change: {
    run: "r1",
    sequence: index,
    kind: "turn",
    key: `T1/${index}`,
    row: { task: "T1", index, role: "agent", kind: "text", session: "s_1", content: "", ...row },
  },
});

/** The running turn of the session after all batches. */
function after(...batches: StreamEvent[][]) {
  const running = new RunningTurns();
  for (const batch of batches) running.receive(batch);
  const { parts, trouble, row } = running.of("r1", "s_1") ?? { parts: [], trouble: null, row: null };
  const shown = parts.map((part) => (part.type === "text" ? part.text : `${part.status} ${part.title}`));
  return { shown, trouble, row: row?.index };
}

test("text and tools are in order, each tool once", () => {
  const { shown } = after(
    [text("I "), text("test.\n"), tool("1", "make", "running")],
    [tool("1", "", "failed"), text("It failed.")],
  );
  expect(shown).toEqual(["I test.\n", "failed make", "It failed."]);
});

test("the row of a turn replaces it, and later activity is the next turn", () => {
  expect(after([text("one"), turn(3)])).toMatchObject({ shown: ["one"], row: 3 });
  // Also within one batch.
  expect(after([text("one"), turn(3), text("two")])).toMatchObject({ shown: ["two"], row: undefined });
});

test("rows of other kinds, roles and sessions do not end a turn", () => {
  const others = [
    turn(3, { kind: "step" }),
    turn(4, { kind: "question" }),
    turn(5, { role: "orchestrator" }),
  ];
  const another = turn(6, { session: "s_2" });
  expect(after([text("one"), ...others, another])).toMatchObject({ shown: ["one"], row: undefined });
});

test("trouble is shown until the agent continues", () => {
  const busy = activity({ type: "warning", text: "tries again" });
  expect(after([busy]).trouble).toBe("tries again");
  expect(after([busy, text("one")]).trouble).toBeNull();
});

test("text, parts and turns are bounded", () => {
  const running = new RunningTurns();
  for (let n = 0; n < 500; n++) running.receive([text("x".repeat(100)), tool(String(n), "make", "done")]);
  for (let n = 0; n < 500; n++) running.receive([text("y".repeat(100))]);
  expect(running.of("r1", "s_1")?.parts.length).toBe(60);
  expect(running.of("r1", "s_1")?.parts.at(-1)).toEqual({ type: "text", text: "y".repeat(8000) });
  for (let n = 0; n < 500; n++) running.receive([activity({ type: "text", text: "x" }, `s_${n}`)]);
  expect(running.of("r1", "s_499")).toBeDefined();
  expect(running.of("r1", "s_2")).toBeUndefined();
});
