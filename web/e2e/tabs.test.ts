import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentScripts, asksQuestion, type RunFixture, startRunFixture, until } from "./fixture.ts";

const AGENTS: AgentScripts = {
  ada: asksQuestion("What does ada want?"),
  bea: asksQuestion("What does bea want?"),
  cem: asksQuestion("And cem?"),
};
/** More tabs than a browser has connections to a server, which are six. */
const N_TABS = 9;

let fixture: RunFixture;
let context: BrowserContext;
const tabs: Page[] = [];

const at = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const answer = async (task: string) => {
  const question = (await fixture.rows("question")).find((row) => row.task === task);
  const command = { answer: { question: question?.id, answer: "tea" } };
  expect((await fixture.post(`/api/runs/${fixture.run}/commands`, { person: "ana", command })).ok).toBe(true);
};
const titles = () => Promise.all(tabs.map((tab) => tab.title()));
const expectCount = (n: number) =>
  until(
    async () => (await titles()).every((title) => title === (n === 0 ? "Jangdan" : `(${n}) Jangdan`)),
    `${n} in the title of every tab`,
  );

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  await until(async () => (await fixture.rows("inbox")).length === 3, "three questions");
  context = await fixture.newContext();
});

afterAll(async () => {
  await fixture?.stop();
});

test("more tabs than the browser has connections all show the run", async () => {
  for (let n = 0; n < N_TABS; n += 1) {
    const tab = await context.newPage();
    await tab.goto(at("/runs/RUN/inbox"));
    await tab.locator("main article").first().waitFor();
    tabs.push(tab);
  }
  await expectCount(3);
});

test("all tabs show a change", async () => {
  await answer("T1.1");
  await expectCount(2);
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
  await answer("T1.2");
  await expectCount(1);
  for (const tab of tabs) expect(await tab.evaluate("nAlerts")).toBe(0);
});

test("all tabs show that the server was killed, and reconnect without losing a change", async () => {
  await fixture.killServer();
  for (const tab of tabs) await tab.getByRole("alert").getByText("Offline since").waitFor();
  await fixture.startServer();
  await answer("T1.3");
  await expectCount(0);
  for (const tab of tabs) await tab.getByRole("alert").waitFor({ state: "detached" });
});
