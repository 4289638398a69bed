import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings, picture } from "./looks.ts";
import { asks, LATER, startWorld, until, type World } from "./world.ts";

const N_TASKS = 1000;
const last = `T${LATER}.${N_TASKS - 1}`;

let world: World;
let page: Page;

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const lines = () => page.locator("main section [data-task]");
const line = (task: string) => page.locator(`main section [data-task="${task}"]`);
const focused = () => page.evaluate("document.activeElement?.dataset.task");

beforeAll(async () => {
  world = await startWorld({ ada: asks("What does ada want?") }, { nLater: N_TASKS - 1 });
  await until(async () => (await world.rows("inbox")).length > 0, "a question");
  page = await (await world.visitor()).newPage();
});

afterAll(async () => {
  await world?.end();
});

test("of a thousand tasks only those in sight are in the page", async () => {
  await page.goto(at("/runs/RUN/list"));
  await line("T1.1").getByText("What does ada want?").waitFor();
  expect(await lines().count()).toBeLessThan(60);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findings(page)).toEqual([]);
    await picture(page, `list-long-${colorScheme}`);
  }
});

test("keys lead to every task, open it, and lead back to it", async () => {
  await page.locator("main section").first().focus();
  await page.keyboard.press("ArrowDown");
  await until(async () => (await focused()) === "T1.1", "the first task");
  await page.keyboard.press("ArrowDown");
  await until(async () => (await focused()) === `T${LATER}.1`, "the first task of the next phase");
  await page.keyboard.press("End");
  await until(async () => (await focused()) === last, "the last task");
  expect(await line(last).evaluate((task) => task.checkVisibility())).toBe(true);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog");
  await panel
    .getByText(`Something for later ${N_TASKS - 2}`)
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await until(async () => (await focused()) === `T${LATER}.${N_TASKS - 2}`, "the task that was open");
  // Whoever scrolls away goes on from where the focus is.
  await page
    .locator("main section")
    .first()
    .evaluate((list) => list.scrollTo(0, 0));
  await line("T1.1").waitFor();
  await page.keyboard.press("ArrowDown");
  await until(async () => (await focused()) === last, "the task behind the one that had the focus");
  expect(await lines().count()).toBeLessThan(60);
});

test("a search finds what is out of sight", async () => {
  await page.keyboard.press("Control+f");
  await page.keyboard.type("later 777");
  await line(`T${LATER}.777`).waitFor();
  expect(await lines().count()).toBe(1);
  await page.keyboard.press("ArrowDown");
  await until(async () => (await focused()) === `T${LATER}.777`, "the task that was found");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("nothing of the kind");
  await page.getByText("Nothing is called that.").waitFor();
  await page.keyboard.press("Escape");
  await line("T1.1").waitFor();
});

test("on a phone and in Korean a long list fits, too", async () => {
  const phone = await world.visitor({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = await phone.newPage();
  await small.goto(at("/runs/RUN/list"));
  await small.locator("main [data-task]").first().waitFor();
  expect(await small.locator("main section [data-task]").count()).toBeLessThan(60);
  expect(await small.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  await picture(small, "list-long-phone");
});
