// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";
import type { QuestionRow } from "~/api/generated";
import { click, enterText, renderForTest, visibleText, waitFor } from "~/components/renderForTest";
import { QuestionForm } from "./QuestionForm";

const commands: unknown[] = [];

beforeEach(() => {
  commands.length = 0;
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    if (init.body) commands.push(JSON.parse(String(init.body)).command);
    return Response.json(path === "/api/status" ? { person: "ana" } : { sequence: 7 });
  });
});

const PERMISSION: QuestionRow = {
  id: "q_1",
  session: "s_1",
  agent: "ada",
  task: "T1.1",
  kind: "permission",
  category: null,
  text: "May ada run npm test -- api?",
  korean: null,
  originalText: null,
  options: ["allow", "deny"],
  default: null,
  context: null,
  required: true,
  permission: { prompt: "p_1", kind: "run", subject: "npm test -- api", inWorktree: false },
  similar: { pattern: "run:npm test *", nAllowed: 3, isSuggested: false },
  isInTurn: true,
  status: "pending",
  answer: null,
  denialReason: null,
  answeredBy: null,
  clarifications: [],
  withdrawalReason: null,
  blocks: { timeMs: 0, tasks: 0 },
  chat: null,
  askedAt: 0,
  reachedPersonAt: 0,
  expiresAt: null,
  answeredAt: null,
  deliveredAt: null,
  largeFiles: [],
};

const render = (question: QuestionRow) =>
  renderForTest(<QuestionForm run="r1" question={question} actions={["answer"]} equalTasks={["T1.2"]} />);
const expectCommand = (answer: object) =>
  waitFor(() => expect(commands).toEqual([{ answer: { question: "q_1", ...answer } }]));

test("similar requests are allowed by the pattern as it was edited", async () => {
  const box = await render(PERMISSION);
  const button = box.querySelector("[data-allow-similar]");
  expect(visibleText(button as Element)).toBe("Allow run:npm test * for this run");
  await enterText(box.querySelector("[data-pattern]"), "run:npm *");
  expect(visibleText(button as Element)).toBe("Allow run:npm * for this run");
  await click(button);
  await expectCommand({ answer: "allow", scope: "run", pattern: "run:npm *" });
});

test("without a pattern only this request can be allowed", async () => {
  const box = await render(PERMISSION);
  await enterText(box.querySelector("[data-pattern]"), " ");
  expect(box.querySelector<HTMLButtonElement>("[data-allow-similar]")?.disabled).toBe(true);
  await click(box.querySelector('[data-option="1"]'));
  await expectCommand({ answer: "allow", scope: "once" });
});

test("the text field of a permission is for a question to the agent, because text cannot answer it", async () => {
  const box = await renderForTest(
    <QuestionForm run="r1" question={PERMISSION} actions={["answer", "requestClarification"]} />,
  );
  expect(box.querySelector("[data-answer]")?.getAttribute("placeholder")).toBe("Ask the agent…");
  expect(visibleText(box)).not.toContain("Send");
});

test("a denial carries the reason to the agent", async () => {
  const box = await render(PERMISSION);
  await enterText(box.querySelector("[data-reason]"), "Use the script instead");
  await click(box.querySelector('[data-option="2"]'));
  await expectCommand({ answer: "deny", scope: "once", reason: "Use the script instead" });
});

test("a suggested pattern says how often such requests were allowed, and which tasks also wait", async () => {
  const box = await render({
    ...PERMISSION,
    similar: { pattern: "run:npm test *", nAllowed: 3, isSuggested: true },
  });
  expect(visibleText(box)).toContain("You allowed such requests 3 times in this run.");
  expect(visibleText(box)).toContain("Also requested by T1.2: one answer decides all.");
});

test("a question without options is not a permission: it has no pattern and no scope", async () => {
  const box = await render({ ...PERMISSION, kind: "text", options: [], permission: null, similar: null });
  expect(box.querySelector("[data-pattern], [data-reason], [type=radio]")).toBeNull();
});
