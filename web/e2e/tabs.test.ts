import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentScripts, agentThatAsks, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

const AGENTS: AgentScripts = {
  ada: agentThatAsks("What does ada want?"),
  bea: agentThatAsks("What does bea want?"),
  cem: agentThatAsks("And cem?"),
};
/** More tabs than a browser has connections to a server, which are six. */
const N_TABS = 9;

let fixture: RunFixture;
let context: BrowserContext;
const tabs: Page[] = [];

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const answerQuestionOfTask = async (task: string) => {
  const question = (await fixture.rows("question")).find((row) => row.task === task);
  const command = { answer: { question: question?.id, answer: "tea" } };
  expect((await fixture.post(`/api/runs/${fixture.run}/commands`, { person: "ana", command })).ok).toBe(true);
};
const tabTitles = () => Promise.all(tabs.map((tab) => tab.title()));
const expectCountInTitles = (n: number) =>
  waitUntil(
    async () =>
      (await tabTitles()).every((title) => title === `${n === 0 ? "" : `(${n}) `}Example run · Jangdan`),
    `${n} in the title of every tab`,
  );

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  await waitUntil(async () => (await fixture.rows("inbox")).length === 3, "three questions");
  context = await fixture.newContext();
});

afterAll(async () => {
  await fixture?.stop();
});

test("more tabs than the browser has connections all show the run", async () => {
  for (let n = 0; n < N_TABS; n += 1) {
    const tab = await context.newPage();
    await tab.goto(pageUrl("/runs/RUN/needs-you"));
    await tab.locator("main article").first().waitFor();
    tabs.push(tab);
  }
  await expectCountInTitles(3);
});

test("all tabs show a change", async () => {
  await answerQuestionOfTask("T1.1");
  await expectCountInTitles(2);
});

test("the first tab is closed, and the others continue without an alert", async () => {
  await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(`
        globalThis.nAlerts = 0;
        new MutationObserver(() => (nAlerts += document.querySelectorAll("[role=alert]").length))
          .observe(document.body, { childList: true, subtree: true });
      `),
    ),
  );
  await tabs.shift()?.close();
  await answerQuestionOfTask("T1.2");
  await expectCountInTitles(1);
  for (const tab of tabs) expect(await tab.evaluate("nAlerts")).toBe(0);
});

test("all tabs show that the server was killed, and reconnect without losing a change", async () => {
  await fixture.killServer();
  for (const tab of tabs) await tab.getByRole("alert").getByText("Offline since").waitFor();
  await fixture.startServer();
  await answerQuestionOfTask("T1.3");
  await expectCountInTitles(0);
  for (const tab of tabs) await tab.getByRole("alert").waitFor({ state: "detached" });
});
