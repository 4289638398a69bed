import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LIKE_CLAUDE, startWorld, until, type World } from "./world.ts";

const N_QUESTIONS = 6;
const question = (n: number) => `What is number ${n}?`;
const asked = Array.from(
  { length: N_QUESTIONS },
  (_, n) => `{ question = { text = "${question(n + 1)}", options = ["tea", "milk"] } },`,
);
const CAST = {
  ada: {
    ...LIKE_CLAUDE,
    script: `voice = "claude"\nsteps = [{ wait = "" }, ${asked.join("\n")} { hang = "listening" }]`,
  },
};

let world: World;
let context: BrowserContext;
let tabs: Page[] = [];
/** What the tabs have called, whether they are still there or not. */
const called: { tab: Page; body: string }[] = [];

/** A browser without a screen believes that somebody looks at every page, and shows no call. */
const ELSEWHERE = `
  globalThis.isLookedAt = false;
  document.hasFocus = () => isLookedAt;
  globalThis.look = (at) => { isLookedAt = at; dispatchEvent(new Event(at ? "focus" : "blur")); };
  globalThis.Notification = class {
    static permission = "granted";
    constructor(title, { body }) { this.body = body; called(body); }
    close() { ended(this.body); }
  };
`;
const ended: string[] = [];

async function newTab(): Promise<Page> {
  const tab = await context.newPage();
  await tab.exposeFunction("called", (body: string) => called.push({ tab, body }));
  await tab.exposeFunction("ended", (body: string) => ended.push(body));
  await tab.addInitScript(ELSEWHERE);
  await tab.goto(`${world.origin}/`);
  await tab.locator("main article").first().waitFor();
  return tab;
}

/** Answers a question, so that the next one comes, and waits until every tab has it. */
async function answer(n: number): Promise<void> {
  const row = await until(
    async () =>
      (await world.rows("question")).find(({ text, status }) => text === question(n) && status === "pending"),
    `question ${n}`,
  );
  const wish = { answer: { question: row.id, answer: "tea" } };
  expect((await world.send(`/api/runs/${world.run}/wishes`, { person: "ana", wish })).ok).toBe(true);
  for (const tab of tabs)
    await tab
      .locator("main")
      .getByText(question(n + 1))
      .first()
      .waitFor();
}
const bodies = () => called.map(({ body }) => body);

beforeAll(async () => {
  world = await startWorld(CAST);
  await until(async () => (await world.rows("inbox")).length > 0, "a question");
  context = await world.visitor();
  for (let n = 0; n < 3; n += 1) tabs.push(await newTab());
});

afterAll(async () => {
  await world?.end();
});

test("nobody is called while they look at another tab, and once by all tabs together when they don't", async () => {
  await tabs[0]?.evaluate("look(true)");
  await answer(1);
  await tabs[0]?.evaluate("look(false)");
  await answer(2);
  await until(() => called.length > 0, "a call");
  await answer(3);
  await until(() => called.length > 1, "another call");
  expect(bodies()).toEqual([question(3), question(4)]);
  // What is settled is not called about any longer.
  await until(() => ended.includes(question(3)), "the end of the first call");
});

test("when the tab that called is closed, another one calls", async () => {
  const gone = called.at(-1)?.tab;
  await gone?.close();
  tabs = tabs.filter((tab) => tab !== gone);
  await answer(4);
  await until(() => called.length > 2, "a call from another tab");
  await answer(5);
  await until(() => called.length > 3, "one more");
  expect(bodies()).toEqual([3, 4, 5, 6].map(question));
});
