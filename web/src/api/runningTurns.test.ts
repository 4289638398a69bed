import { expect, test } from "vitest";
import type { StreamEvent } from "./eventStream";
import type { SessionActivity } from "./generated";
import { RunningTurns } from "./runningTurns";

const activityEvent = (value: SessionActivity["activity"], session = "s_1"): StreamEvent => ({
  activity: { run: "r1", session, activity: value },
});
const textEvent = (text: string) => activityEvent({ type: "text", text });
const toolEvent = (id: string, title: string, status: "running" | "done" | "failed") =>
  activityEvent({ type: "tool", id, title, status });
const turnRowEvent = (index: number, row: object = {}): StreamEvent => ({
  change: {
    run: "r1",
    sequence: index,
    kind: "turn",
    key: `T1/${index}`,
    row: { task: "T1", index, role: "agent", kind: "text", session: "s_1", content: "", ...row },
  },
});

/** The running turn of the session after all batches. */
function runningTurnAfter(...batches: StreamEvent[][]) {
  const running = new RunningTurns();
  for (const batch of batches) running.receive(batch);
  const { parts, trouble, row } = running.get("r1", "s_1") ?? { parts: [], trouble: null, row: null };
  const shown = parts.map((part) => (part.type === "text" ? part.text : `${part.status} ${part.title}`));
  return { shown, trouble, row: row?.index };
}

test("text and tool calls are in order, and each tool call appears once", () => {
  const { shown } = runningTurnAfter(
    [textEvent("I "), textEvent("test.\n"), toolEvent("1", "make", "running")],
    [toolEvent("1", "", "failed"), textEvent("It failed.")],
  );
  expect(shown).toEqual(["I test.\n", "failed make", "It failed."]);
});

test("the row of a turn replaces it, and later activity is the next turn", () => {
  expect(runningTurnAfter([textEvent("one"), turnRowEvent(3)])).toMatchObject({ shown: ["one"], row: 3 });
  // Also within one batch.
  expect(runningTurnAfter([textEvent("one"), turnRowEvent(3), textEvent("two")])).toMatchObject({
    shown: ["two"],
    row: undefined,
  });
});

test("rows of other kinds, roles and sessions do not end a turn", () => {
  const others = [
    turnRowEvent(3, { kind: "step" }),
    turnRowEvent(4, { kind: "question" }),
    turnRowEvent(5, { role: "orchestrator" }),
  ];
  const another = turnRowEvent(6, { session: "s_2" });
  expect(runningTurnAfter([textEvent("one"), ...others, another])).toMatchObject({
    shown: ["one"],
    row: undefined,
  });
});

test("a warning is shown until the agent continues", () => {
  const busy = activityEvent({ type: "warning", text: "tries again" });
  expect(runningTurnAfter([busy]).trouble).toBe("tries again");
  expect(runningTurnAfter([busy, textEvent("one")]).trouble).toBeNull();
});

test("the text, the parts and the number of turns are bounded", () => {
  const running = new RunningTurns();
  for (let n = 0; n < 500; n++)
    running.receive([textEvent("x".repeat(100)), toolEvent(String(n), "make", "done")]);
  for (let n = 0; n < 500; n++) running.receive([textEvent("y".repeat(100))]);
  expect(running.get("r1", "s_1")?.parts.length).toBe(60);
  expect(running.get("r1", "s_1")?.parts.at(-1)).toEqual({ type: "text", text: "y".repeat(8000) });
  for (let n = 0; n < 500; n++) running.receive([activityEvent({ type: "text", text: "x" }, `s_${n}`)]);
  expect(running.get("r1", "s_499")).toBeDefined();
  expect(running.get("r1", "s_2")).toBeUndefined();
});
