import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asks, type Cast, startWorld, until, type World } from "./world.ts";

const CAST: Cast = {
  ada: asks("What does ada want?"),
  bea: asks("What does bea want?"),
  cem: asks("And cem?"),
};
/** A browser has six connections to a server, and a page needs one for what it asks beside the stream. */
const N_TABS = 9;

let world: World;
let context: BrowserContext;
const tabs: Page[] = [];

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const answer = async (task: string) => {
  const asked = (await world.rows("question")).find((row) => row.task === task);
  const wish = { answer: { question: asked?.id, answer: "tea" } };
  expect((await world.send(`/api/runs/${world.run}/wishes`, { person: "ana", wish })).ok).toBe(true);
};
const counts = () => Promise.all(tabs.map((tab) => tab.title()));
const expectCount = (n: number) =>
  until(
    async () => (await counts()).every((title) => title === (n === 0 ? "Jangdan" : `(${n}) Jangdan`)),
    `${n} in the title of every tab`,
  );

beforeAll(async () => {
  world = await startWorld(CAST);
  await until(async () => (await world.rows("inbox")).length === 3, "three questions");
  context = await world.visitor();
});

afterAll(async () => {
  await world?.end();
});

test("more tabs than a browser has connections all show the run", async () => {
  for (let n = 0; n < N_TABS; n += 1) {
    const tab = await context.newPage();
    await tab.goto(at("/runs/RUN/inbox"));
    await tab.locator("main article").first().waitFor();
    tabs.push(tab);
  }
  await expectCount(3);
});

test("what changes is seen in all of them", async () => {
  await answer("T1.1");
  await expectCount(2);
});

test("the tab that was first is closed, and all others go on without a word", async () => {
  await Promise.all(
    tabs.map((tab) =>
      tab.evaluate(`
        globalThis.alarms = 0;
        new MutationObserver(() => (alarms += document.querySelectorAll("[role=alert]").length))
          .observe(document.body, { childList: true, subtree: true });
      `),
    ),
  );
  await tabs.shift()?.close();
  await answer("T1.2");
  await expectCount(1);
  for (const tab of tabs) expect(await tab.evaluate("alarms")).toBe(0);
});

test("a server that was killed is missed in all tabs, and found again without loss", async () => {
  await world.killServer();
  for (const tab of tabs) await tab.getByRole("alert").getByText("The server does not answer.").waitFor();
  await world.startServer();
  await answer("T1.3");
  await expectCount(0);
  for (const tab of tabs) await tab.getByRole("alert").waitFor({ state: "detached" });
});
