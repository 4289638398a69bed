import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityIssues, screenshot } from "./accessibility.ts";
import { agentThatAsks, LATER_PHASE, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

const N_TASKS = 1000;
const last = `T${LATER_PHASE}.${N_TASKS - 1}`;

let fixture: RunFixture;
let page: Page;

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const renderedTaskRows = () => page.locator("main section [data-task]");
const renderedTaskRow = (task: string) => page.locator(`main section [data-task="${task}"]`);
const focusedTaskId = () => page.evaluate("document.activeElement?.dataset.task");

beforeAll(async () => {
  fixture = await startRunFixture({ ada: agentThatAsks("What does ada want?") }, { nLater: N_TASKS - 1 });
  await waitUntil(async () => (await fixture.rows("inbox")).length > 0, "a question");
  page = await (await fixture.newContext()).newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

test("of a thousand tasks only visible ones are rendered", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await renderedTaskRow("T1.1").getByText("What does ada want?").waitFor();
  expect(await renderedTaskRows().count()).toBeLessThan(60);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityIssues(page)).toEqual([]);
    await screenshot(page, `list-long-${colorScheme}`);
  }
});

test("keys move to every task, open it, and return to it", async () => {
  await page.locator("main section").first().focus();
  await page.keyboard.press("ArrowDown");
  await waitUntil(async () => (await focusedTaskId()) === "T1.1", "the first task");
  await page.keyboard.press("ArrowDown");
  await waitUntil(
    async () => (await focusedTaskId()) === `T${LATER_PHASE}.1`,
    "the first task of the next phase",
  );
  await page.keyboard.press("End");
  await waitUntil(async () => (await focusedTaskId()) === last, "the last task");
  expect(await renderedTaskRow(last).evaluate((task) => task.checkVisibility())).toBe(true);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog");
  await panel
    .getByText(`Later task ${N_TASKS - 2}`)
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  await waitUntil(
    async () => (await focusedTaskId()) === `T${LATER_PHASE}.${N_TASKS - 2}`,
    "the task that was open",
  );
  // After scrolling, keys continue from the focused task.
  await page
    .locator("main section")
    .first()
    .evaluate((list) => list.scrollTo(0, 0));
  await renderedTaskRow("T1.1").waitFor();
  await page.keyboard.press("ArrowDown");
  await waitUntil(async () => (await focusedTaskId()) === last, "the task after the focused one");
  expect(await renderedTaskRows().count()).toBeLessThan(60);
});

test("a search finds tasks that are not visible", async () => {
  await page.keyboard.press("Control+f");
  await page.keyboard.type("task 777");
  await renderedTaskRow(`T${LATER_PHASE}.777`).waitFor();
  expect(await renderedTaskRows().count()).toBe(1);
  await page.keyboard.press("ArrowDown");
  await waitUntil(async () => (await focusedTaskId()) === `T${LATER_PHASE}.777`, "the task that was found");
  await page.keyboard.press("Control+f");
  await page.keyboard.type("no such task");
  await page.getByText("No results.").waitFor();
  await page.keyboard.press("Escape");
  await renderedTaskRow("T1.1").waitFor();
});

test("on a phone and in Korean a long list fits", async () => {
  const phone = await fixture.newContext({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = await phone.newPage();
  await small.goto(pageUrl("/runs/RUN/work?view=list"));
  await small.locator("main [data-task]").first().waitFor();
  expect(await small.locator("main section [data-task]").count()).toBeLessThan(60);
  expect(await small.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  await screenshot(small, "list-long-phone");
});
