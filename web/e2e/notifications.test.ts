import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUDE_AGENT, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

const N_QUESTIONS = 6;
const questionText = (n: number) => `What is number ${n}?`;
const questionSteps = Array.from(
  { length: N_QUESTIONS },
  (_, n) => `{ question = { text = "${questionText(n + 1)}", options = ["tea", "milk"] } },`,
);
const AGENTS = {
  ada: {
    ...CLAUDE_AGENT,
    script: `voice = "claude"\nsteps = [{ wait = "" }, ${questionSteps.join("\n")} { hang = "listening" }]`,
  },
};

let fixture: RunFixture;
let context: BrowserContext;
let tabs: Page[] = [];
/** The notifications of all tabs, including closed ones. */
const shown: { tab: Page; body: string }[] = [];

/** A headless browser reports every page as focused and shows no notifications, so both are replaced. */
const WITHOUT_FOCUS = `
  globalThis.isFocused = false;
  document.hasFocus = () => isFocused;
  globalThis.setFocus = (focused) => {
    isFocused = focused;
    dispatchEvent(new Event(focused ? "focus" : "blur"));
  };
  globalThis.Notification = class {
    static permission = "granted";
    constructor(title, { body }) { this.body = body; notificationShown(body); }
    close() { notificationClosed(this.body); }
  };
`;
const closed: string[] = [];

async function newTab(): Promise<Page> {
  const tab = await context.newPage();
  await tab.exposeFunction("notificationShown", (body: string) => shown.push({ tab, body }));
  await tab.exposeFunction("notificationClosed", (body: string) => closed.push(body));
  await tab.addInitScript(WITHOUT_FOCUS);
  await tab.goto(`${fixture.origin}/`);
  await tab.locator("main article").first().waitFor();
  return tab;
}

/** Answers a question, and waits until every tab shows the next one. */
async function answerQuestion(n: number): Promise<void> {
  const row = await waitUntil(
    async () =>
      (await fixture.rows("question")).find(
        ({ text, status }) => text === questionText(n) && status === "pending",
      ),
    `question ${n}`,
  );
  const command = { answer: { question: row.id, answer: "tea" } };
  expect((await fixture.post(`/api/runs/${fixture.run}/commands`, { person: "ana", command })).ok).toBe(true);
  for (const tab of tabs)
    await tab
      .locator("main")
      .getByText(questionText(n + 1))
      .first()
      .waitFor();
}
const notificationBodies = () => shown.map(({ body }) => body);

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  await waitUntil(async () => (await fixture.rows("inbox")).length > 0, "a question");
  context = await fixture.newContext();
  for (let n = 0; n < 3; n += 1) tabs.push(await newTab());
});

afterAll(async () => {
  await fixture?.stop();
});

test("no notification is shown while any tab has the focus, and otherwise all tabs together show one", async () => {
  await tabs[0]?.evaluate("setFocus(true)");
  await answerQuestion(1);
  await tabs[0]?.evaluate("setFocus(false)");
  await answerQuestion(2);
  await waitUntil(() => shown.length > 0, "a notification");
  await answerQuestion(3);
  await waitUntil(() => shown.length > 1, "another notification");
  expect(notificationBodies()).toEqual([questionText(3), questionText(4)]);
  // The notification of a settled question is closed.
  await waitUntil(() => closed.includes(questionText(3)), "the first notification to be closed");
});

test("when the tab that notified is closed, another one notifies", async () => {
  const gone = shown.at(-1)?.tab;
  await gone?.close();
  tabs = tabs.filter((tab) => tab !== gone);
  await answerQuestion(4);
  await waitUntil(() => shown.length > 2, "a notification from another tab");
  await answerQuestion(5);
  await waitUntil(() => shown.length > 3, "one more");
  expect(notificationBodies()).toEqual([3, 4, 5, 6].map(questionText));
});
