import { expect, test } from "vitest";
import type { TurnRow } from "~/api/generated";
import { lastWords } from "./toLastWords";

const turn = (index: number, content: string, more: Partial<TurnRow> = {}) =>
  ({ index, content, role: "agent", kind: "text", agent: "ada", sentAt: index, ...more }) as TurnRow;
const rows = (...turns: TurnRow[]) => Object.fromEntries(turns.map((turn) => [turn.index, turn]));

test("the last text of an agent is shown, not a prompt or a notice", () => {
  const turns = rows(
    turn(1, "earlier"),
    turn(2, "zsh is not installed here."),
    turn(3, "Try again.", { role: "orchestrator" }),
    turn(4, "exit 3", { kind: "notice" }),
  );
  expect(lastWords(turns)).toEqual({ agent: "ada", sentAt: 2, text: "zsh is not installed here." });
});

test("protocol messages and their keys are left out", () => {
  const text = "I give up.\n[PROGRESS k3y]\nprogress: 0.5\n[/PROGRESS k3y]\nFAIL:T1.1:no zsh k3y";
  expect(lastWords(rows(turn(1, text)))?.text).toBe("I give up.");
  expect(lastWords(rows(turn(1, "DONE:T1.1 k3y")))).toBeNull();
});

test("of a long text the end is shown", () => {
  const text = lastWords(rows(turn(1, `${"x".repeat(900)} the end`)))?.text;
  expect(text?.length).toBe(401);
  expect(text?.endsWith("the end")).toBe(true);
});
