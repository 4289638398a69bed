import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityIssues, screenshot } from "./accessibility.ts";
import { type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;
const browserErrors: string[] = [];

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const fetchTask = async (id: string) => (await fixture.rows("task")).find((row) => row.id === id);
const taskCard = (id: string) => page.locator(`main [data-task="${id}"]`).first();

/** Waits for the panel of a task with this question. */
async function expectQuestionInPanel(text: string): Promise<void> {
  await page.getByRole("dialog").getByText(text).first().waitFor();
}

beforeAll(async () => {
  fixture = await startRunFixture();
  await waitUntil(async () => (await fixture.rows("inbox")).length === 2, "two questions at once");
  context = await fixture.newContext({ viewport: { width: 1440, height: 900 } });
  page = await context.newPage();
  page.on("pageerror", (error) => browserErrors.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error" && /content security|react/i.test(line.text()))
      browserErrors.push(line.text());
  });
});

afterAll(async () => {
  await fixture?.stop();
});

const VIEWS: [name: string, address: string, content: string][] = [
  ["overview", "/runs/RUN", "main [data-situation]"],
  ["canvas", "/runs/RUN/work?view=graph", ".react-flow__edge"],
  ["board", "/runs/RUN/work?view=board", "main [data-task]"],
  ["schedule", "/runs/RUN/work?view=schedule", "main [data-task]"],
  ["activity", "/runs/RUN/activity", "main article"],
  ["team", "/runs/RUN/team", "main [data-session]"],
];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each(VIEWS)("%s is accessible", async (name, address, content) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(pageUrl(address));
    await page.locator(content).first().waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await screenshot(page, colorScheme === "dark" ? `${name}-dark` : name);
  });
});

test("on a phone and in Korean every view fits the screen", async () => {
  const phone = await fixture.newContext({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = await phone.newPage();
  for (const [name, address, content] of VIEWS) {
    await small.goto(pageUrl(address));
    await small.locator(content).first().waitFor({ state: "attached" });
    expect(await small.evaluate("document.documentElement.scrollWidth > innerWidth"), name).toBe(false);
    for (const colorScheme of ["dark", "light"] as const) {
      await small.emulateMedia({ colorScheme });
      expect(await accessibilityIssues(small), `${name} in ${colorScheme}`).toEqual([]);
    }
    await screenshot(small, `phone-${name}`);
  }
  await phone.close();
});

test.each(["work?view=graph", "work?view=board", "team"])(
  "a click or a double-click in %s opens a task with its question",
  async (view) => {
    for (const clickCount of [1, 2]) {
      await page.goto(pageUrl(`/runs/RUN/${view}`));
      await taskCard("T1.1").click({ clickCount });
      await expectQuestionInPanel("In which order should the API list tasks?");
      await page.keyboard.press("Escape");
      await waitUntil(() => page.url() === pageUrl(`/runs/RUN/${view}`), "the view under the panel");
    }
  },
);

test.each([
  ["inbox", "needs-you"],
  ["list", "work?view=list"],
  ["canvas", "work?view=graph"],
  ["timeline", "activity"],
  ["chat", "activity"],
])("the old address %s leads to %s", async (old, place) => {
  await page.goto(pageUrl(`/runs/RUN/${old}`));
  await page.locator(`[data-place][aria-current]`).waitFor();
  expect(page.url()).toBe(pageUrl(`/runs/RUN/${place}`));
});

test("the overview says what waits for the user, and each number leads to it", async () => {
  await page.goto(pageUrl("/runs/RUN"));
  const sentence = page.locator("[data-situation]");
  await sentence.getByRole("link", { name: "2 questions" }).click();
  await page.locator("[data-selected] [data-option]").first().waitFor();
  expect(page.url()).toBe(pageUrl("/runs/RUN/needs-you?kind=question"));
  await page.goBack();
  await page.locator('[data-phase="1"]').click();
  await page.waitForURL(/work\?view=list$/);
});

test("the canvas is navigated with keys alone", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=graph"));
  await taskCard("T1.1").waitFor();
  await page.locator("section.canvas").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await expectQuestionInPanel("What should happen to titles with more than 40 characters?");
  await page.keyboard.press("Escape");
});

test("a search on the canvas finds questions", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=graph"));
  await taskCard("T1.1").waitFor();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("40 characters");
  await page.getByRole("status").filter({ hasText: "1/1" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator('.react-flow__node.selected [data-task="T1.3"]').waitFor();
});

test("a search stays when another view of the tasks is chosen, and is in the address", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.getByRole("searchbox", { name: "Find a task" }).fill("T1.1");
  const nShown = () => page.locator("main [data-task]").count();
  await waitUntil(async () => (await nShown()) === 1, "one task in the list");
  await page.locator('[data-view="board"]').click();
  await waitUntil(async () => (await nShown()) === 1, "one task on the board");
  expect(page.url()).toContain("q=T1.1");
  await page.locator('[data-view="graph"]').click();
  await page.getByRole("status").filter({ hasText: "1/1" }).waitFor();
  await page.reload();
  await page.getByRole("status").filter({ hasText: "1/1" }).waitFor();
});

test("a phase of the graph is folded, and unfolded again by a search", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=graph"));
  await taskCard("T1.1").waitFor();
  await page.getByRole("button", { name: /^1 /, expanded: true }).click();
  await taskCard("T1.1").waitFor({ state: "detached" });
  await page.keyboard.press("Control+f");
  await page.keyboard.type("T1.1");
  await page.keyboard.press("Enter");
  await page.locator('.react-flow__node.selected [data-task="T1.1"]').waitFor();
});

test("the team says what each agent does now, and what was not reported is not free", async () => {
  await page.goto(pageUrl("/runs/RUN/team"));
  await page.locator("[data-agent]").first().waitFor();
  const agents = await fixture.rows("agent");
  expect(await page.locator("[data-agent]").count()).toBe(agents.length);
  await page.locator("[data-agent]").filter({ hasText: "T1.1" }).getByText("Waiting for you").waitFor();
  expect(await page.locator("main").textContent()).not.toContain("$0.00");
});

test("when zoomed out a task that waits for a person keeps its icon", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=graph"));
  await taskCard("T1.1").waitFor();
  await page.locator("section.canvas").focus();
  const icon = page.locator('[data-zoomed-out="T1.1"]');
  await waitUntil(async () => {
    await page.keyboard.press("-");
    return icon.isVisible();
  }, "the icon");
  expect((await icon.boundingBox())?.width).toBeGreaterThan(12);
  expect(await page.locator("main [data-zoomed-out]").count()).toBe((await fixture.rows("inbox")).length);
});

test("a panel over the canvas blocks the shortcuts of the canvas", async () => {
  const [first, second] = (await fixture.rows("inbox")).map(({ task }) => task);
  for (const task of [first, second]) {
    await page.goto(pageUrl(`/runs/RUN/tasks/${task}?over=canvas`));
    await page.getByRole("dialog").locator("[data-option]").first().waitFor();
    await taskCard("T1.1").waitFor();
    await page.getByRole("dialog").getByRole("tab").first().focus();
    await page.keyboard.press("Control+f");
    await page.keyboard.press("g");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    expect(await page.locator("main input").inputValue()).toBe("");
    expect(page.url()).toContain(`/tasks/${task}`);
  }
});

test("a priority is changed with the menu, and by dragging", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=board"));
  await page.getByRole("button", { name: "Priority of T2.2" }).click();
  await page.getByRole("menuitemradio", { name: "High" }).click();
  await waitUntil(async () => (await fetchTask("T2.2"))?.priority === "high", "the priority from the menu");
  const column = page.getByRole("region", { name: "Waiting", exact: true });
  // Priorities without tasks are shown while a card is dragged.
  expect(await column.getByRole("heading", { name: "Critical" }).count()).toBe(0);
  await taskCard("T3.1").hover();
  await page.mouse.down();
  const box = await column.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 80, { steps: 4 });
  await column.getByRole("heading", { name: "Critical" }).hover();
  await column.getByRole("heading", { name: "Critical" }).hover();
  await page.mouse.up();
  await waitUntil(
    async () => (await fetchTask("T3.1"))?.priority === "critical",
    "the priority from dragging",
  );
  await waitUntil(
    async () => (await column.locator("[data-task]").first().getAttribute("data-task")) === "T3.1",
    "the most urgent above all",
  );
  await page.getByRole("button", { name: "Priority of T1.1" }).click();
  await page.getByRole("menuitemradio", { name: "Low" }).click();
  await waitUntil(
    async () => (await fetchTask("T1.1"))?.priority === "low",
    "the priority of a task that waits",
  );
});

test("the timeline shows the history of a question, and the schedule its time", async () => {
  await page.goto(pageUrl("/runs/RUN/activity?topic=question"));
  const history = page.getByRole("article").filter({ hasText: "In which order should the API list tasks?" });
  await history.getByText("Waiting for an answer:").waitFor();
  await taskCard("T1.1").click();
  await page.getByRole("dialog").getByRole("button", { name: "newest first" }).click();
  await waitUntil(async () => (await fetchTask("T1.1"))?.state !== "blocked", "the task to continue");
  await page.goto(pageUrl("/runs/RUN/activity?topic=question"));
  for (const step of ["Asked", "Forwarded to you", "Answered", "Delivered", "Task resumed"]) {
    await history.getByText(step, { exact: true }).waitFor();
  }
  await screenshot(page, "timeline-answered");
  await page.goto(pageUrl("/runs/RUN/work?view=schedule"));
  await page.getByRole("button", { name: /T1\.1.*\n*Waited for an answer: In which order/ }).waitFor();
});

test("the browser reported no errors", () => {
  expect(browserErrors).toEqual([]);
});
