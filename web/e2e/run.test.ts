import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityIssues, accessibilityIssuesInBothThemes, screenshot } from "./accessibility.ts";
import { type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;
const browserErrors: string[] = [];

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const questionOfTask = async (task: string) =>
  (await fixture.rows("question")).find((row) => row.task === task);

/** Counts on every change in how many places of a conversation a sentence is shown. */
const WATCH = `
  globalThis.watched = { counts: [], wasRunning: false };
  new MutationObserver(() => {
    const places = [...document.querySelectorAll("[data-turn], [data-running]")];
    watched.counts.push(places.filter((place) => place.textContent.includes("Next, the tests.")).length);
    watched.wasRunning ||= document.querySelector("[data-running]") !== null;
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
`;

beforeAll(async () => {
  fixture = await startRunFixture();
  await waitUntil(async () => (await fixture.rows("inbox")).length === 2, "two questions at once");
  context = await fixture.newContext();
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

test("a browser that is signed out shows only how to sign in", async () => {
  const signedOut = await (await fixture.browser.newContext()).newPage();
  await signedOut.goto(pageUrl("/"));
  await signedOut.locator("[data-signed-out]").getByText("jangdan link").waitFor();
  expect(await signedOut.locator("main").count()).toBe(1);
  expect(await accessibilityIssues(signedOut)).toEqual([]);
  await screenshot(signedOut, "signed-out");
  await signedOut.context().close();
});

test("the link leaves no token in the address, and the title counts inbox entries", async () => {
  await page.goto(pageUrl("/"));
  await waitUntil(() => page.url() === pageUrl("/needs-you"), "what needs the user");
  await page.getByText("In which order should the API list tasks?").first().waitFor();
  await waitUntil(async () => (await page.title()) === "(2) Jangdan", "the count in the title");
});

const VIEWS: [name: string, path: string, content: string][] = [
  ["needs-you-all", "/needs-you", "article"],
  ["runs", "/runs", "main li"],
  ["overview", "/runs/RUN", "main [data-situation]"],
  ["canvas", "/runs/RUN/work?view=graph", "[data-task]"],
  ["board", "/runs/RUN/work?view=board", "[data-task]"],
  ["schedule", "/runs/RUN/work?view=schedule", "[data-task]"],
  ["review", "/runs/RUN/review", "main p"],
  ["activity", "/runs/RUN/activity", "[data-card]"],
  ["team", "/runs/RUN/team", "[data-session]"],
  ["tasks", "/runs/RUN/work?view=list", "main li"],
  ["needs-you", "/runs/RUN/needs-you", "main article"],
  ["task-brief", "/runs/RUN/tasks/T1.1?tab=brief", "[role=tabpanel] p"],
  ["task-conversation", "/runs/RUN/tasks/T1.1", "[data-turn]"],
  ["task-output", "/runs/RUN/tasks/T1.2?tab=output", "[role=tabpanel] [data-direction]"],
  ["task-terminal", "/runs/RUN/tasks/T1.4?tab=output", "[role=tabpanel] .terminal .row"],
  ["task-events", "/runs/RUN/tasks/T1.1?tab=events", "[role=tabpanel] li"],
  ["task-changes", "/runs/RUN/tasks/T1.2?tab=changes", "[role=tabpanel] details"],
  ["task-checks", "/runs/RUN/tasks/T1.2?tab=checks", "[role=tabpanel] details"],
  ["task-attempts", "/runs/RUN/tasks/T1.2?tab=attempts", "[role=tabpanel] li"],
  ["new", "/new", "textarea"],
];

/** The views for small screens. */
const PHONE = ["needs-you-all", "runs", "overview", "tasks", "needs-you", "activity", "task-conversation"];
/** The views with a dark screenshot. */
const DARK = ["needs-you", "overview", "tasks", "canvas", "schedule", "task-conversation"];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each(VIEWS)("%s is accessible", async (name, path, content) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(pageUrl(path));
    await page.locator(content).first().waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    if (colorScheme === "light") await screenshot(page, name);
    else if (DARK.includes(name)) await screenshot(page, `${name}-dark`);
  });
});

test("on a phone and in Korean every view fits the screen", async () => {
  const phone = await fixture.newContext({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = await phone.newPage();
  for (const [name, path, content] of VIEWS.filter(([name]) => PHONE.includes(name))) {
    await small.goto(pageUrl(path));
    await small.locator(content).first().waitFor({ state: "attached" });
    const overflows = await small.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(overflows, name).toBe(false);
    expect(await accessibilityIssues(small)).toEqual([]);
    await screenshot(small, `phone-${name}`);
  }
  await small.getByRole("button", { name: "일시 정지" }).waitFor();
  await phone.close();
});

async function expectAccessible(what: string): Promise<void> {
  expect(await accessibilityIssuesInBothThemes(page), what).toEqual([]);
}

test("the palette and the shortcut help open with a key", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.locator("main li").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("t2.1");
  await expectAccessible("the palette");
  await screenshot(page, "palette");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("T2.1").first().waitFor();
  await page.keyboard.press("Escape");
  await waitUntil(() => page.url() === pageUrl("/runs/RUN/work?view=list"), "the view under the panel");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await expectAccessible("the keyboard shortcuts");
  await page.keyboard.press("Escape");
});

test("settings, menus, confirmations and panels are accessible", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.locator("main li").first().waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menu").waitFor();
  await expectAccessible("the settings");
  await page.keyboard.press("Escape");
  await page.locator("[data-run-menu]").click();
  await page.getByRole("menu").waitFor();
  await expectAccessible("the menu of the run");
  await page.getByRole("menuitem", { name: "Merge results…" }).click();
  await page.getByRole("dialog", { name: /^Merge the results/ }).waitFor();
  await expectAccessible("the confirmation of a merge");
  await page.keyboard.press("Escape");
  await page.goto(pageUrl("/runs/RUN/tasks/T1.1"));
  await page.getByRole("button", { name: "Restart…" }).click();
  await page.getByRole("dialog", { name: /T1\.1/ }).getByRole("textbox").last().waitFor();
  await expectAccessible("restarting a task");
  await page.keyboard.press("Escape");
  const session = (await fixture.rows("session")).find(({ task }) => task === "T1.1");
  await page.goto(pageUrl(`/runs/RUN/sessions/${session?.id}`));
  await page.getByRole("dialog").locator("[data-direction], .terminal .row").first().waitFor();
  await expectAccessible("a session");
});

test("a plan is checked while typing, and an error links to its line", async () => {
  await page.goto(pageUrl("/new"));
  const text = page.getByLabel("Plan text");
  await text.fill(
    "# Task service\n\n## Phase 1: Ground\n\n- [ ] T1.1 API\n- [ ] T1.2 Client (depends on T9.9)\n",
  );
  await page.getByRole("button", { name: /T9\.9/ }).first().click();
  await screenshot(page, "new");
  await text.fill(
    "# Task service\n\n## Phase 1: Ground\n\n- [ ] T1.1 API\n- [ ] T1.2 Client (depends on T1.1)\n",
  );
  await page.getByRole("button", { name: "Start run" }).waitFor();
});

test("with open questions a message can be for the orchestrator alone", async () => {
  await page.goto(pageUrl("/runs/RUN/activity"));
  const box = page.getByPlaceholder("Message the orchestrator…");
  await box.fill("good morning");
  await box.press("Enter");
  await page.getByRole("button", { name: "Just tell the orchestrator" }).click();
  await page.locator('[data-author="person"]').getByText("good morning").waitFor();
  for (const task of ["T1.1", "T1.3"]) expect((await questionOfTask(task))?.status).toBe("pending");
});

test("with two open questions a message asks which one it answers", async () => {
  await page.goto(pageUrl("/runs/RUN/activity"));
  const box = page.getByPlaceholder("Message the orchestrator…");
  await box.fill("truncate them");
  await box.press("Enter");
  const choices = page.getByRole("group", { name: /Which one/ });
  await choices.waitFor();
  await expectAccessible("the list of questions");
  await screenshot(page, "chat-which");
  await choices.getByRole("button", { name: /T1\.3/ }).click();
  await box.or(page.getByPlaceholder(/^Answer:/)).press("Enter");
  await waitUntil(
    async () => (await questionOfTask("T1.3"))?.answer === "truncate them",
    "the answer at its question",
  );
  expect((await questionOfTask("T1.1"))?.answer).toBeNull();
});

test("a card of the chat shows its answer", async () => {
  const answered = (await questionOfTask("T1.3"))?.id;
  await page.locator(`[data-card="${answered}"]`).getByText("truncate them").last().waitFor();
});

test("a click on the graph opens a task", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=graph"));
  await page.locator('[data-task="T1.1"]').first().click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /oldest first/ })
    .waitFor();
  await screenshot(page, "canvas-task");
});

test("a task's panel shows the conversation in order and takes the answer, and the task continues", async () => {
  await page.locator("[data-turn]").first().waitFor();
  const second = await context.newPage();
  await second.goto(pageUrl("/runs/RUN/tasks/T1.1"));
  await second.locator("[data-turn]").first().waitFor();
  await page.evaluate(WATCH);
  await page.keyboard.press("1");
  await waitUntil(async () => (await questionOfTask("T1.1"))?.answer === "oldest first", "the answer");
  await waitUntil(async () => {
    const task = (await fixture.rows("task")).find(({ id }) => id === "T1.1");
    return task && task.state !== "blocked";
  }, "the task to continue");
  for (const tab of [page, second]) {
    await tab.getByText("oldest first").last().waitFor();
    const turns = await tab
      .locator("[data-turn]")
      .evaluateAll((all) => all.map((turn) => Number(turn.dataset.turn)));
    expect(turns).toEqual(turns.map((_, index) => index));
  }
  await second.close();
});

test("a running turn is shown until its row replaces it, with tool calls folded", async () => {
  const turn = page.locator("[data-turn]", { hasText: "Tasks are stored in a file" });
  await turn.waitFor();
  const { counts, wasRunning } = await page.evaluate<{ counts: number[]; wasRunning: boolean }>("watched");
  expect(wasRunning).toBe(true);
  // First nowhere, then in one place: never in both, and never in none in between.
  expect(counts.join("").replace(/^0*/, "")).toMatch(/^1+$/);
  expect(await page.locator("[data-running]").count()).toBe(0);
  const text = (await turn.textContent()) ?? "";
  // Protocol messages are cards, and session keys are not shown.
  await turn.locator('[data-message="progress"]').getByText("storage written, tests are next").waitFor();
  await turn.locator('[data-message="done"]').getByText("the tests pass").waitFor();
  expect(text).not.toMatch(/\[PROGRESS|DONE:/);
  const order = [
    "I'll read the plan",
    "tool calls",
    "Next, the tests.",
    "2 tool calls",
    "Tasks are stored in a file",
  ];
  expect(order.map((part) => text.indexOf(part)).every((at, n, all) => at > (all[n - 1] ?? -1))).toBe(true);
  for (const line of ["2 tool calls", "sh test.sh store"]) {
    await turn.locator("summary", { hasText: line }).first().focus();
    await page.keyboard.press("Enter");
  }
  await turn.getByText(/ok {4}store/).waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await screenshot(page, "task-tools");
});

test("the timeline shows the history of a question", async () => {
  await page.goto(pageUrl("/runs/RUN/activity"));
  const id = (await questionOfTask("T1.1"))?.id ?? "";
  const kinds = (await fixture.rows("timeline")).filter((row) => row.question === id).map((row) => row.kind);
  expect(kinds.length).toBeGreaterThan(1);
  await page.getByText("In which order should the API list tasks?").first().waitFor();
  await screenshot(page, "timeline");
});

test("the page shows that the server was killed, and reconnects without losing a change", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.locator("main li").first().waitFor();
  await fixture.killServer();
  await page.getByRole("alert").getByText("Offline since").waitFor();
  await expectAccessible("a page without its server");
  await screenshot(page, "offline");
  await fixture.startServer();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await waitUntil(async () => (await fixture.rows("inbox")).length > 0, "the next inbox entry");
  await waitUntil(async () => {
    const shown = await page
      .locator("main li button")
      .evaluateAll((all) => all.map((line) => line.textContent ?? ""));
    const done = (await fixture.rows("task")).filter(({ state }) => state === "done");
    return shown.filter((line) => line.includes("Done")).length === done.length;
  }, "the same rows in the page and in the server");
});

test("an inbox entry is settled with keys alone", async () => {
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.locator("main article").first().waitFor();
  const before = (await fixture.rows("inbox")).map(({ item }) => `${item.type}/${item.id}`);
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("1");
  await waitUntil(async () => {
    const now = (await fixture.rows("inbox")).map(({ item }) => `${item.type}/${item.id}`);
    return before.some((name) => !now.includes(name));
  }, "a settled entry");
});

test("the browser reported no errors", () => {
  expect(browserErrors).toEqual([]);
});
