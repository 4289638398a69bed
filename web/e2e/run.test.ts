import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findings, findingsInBoth, picture } from "./looks.ts";
import { startWorld, until, type World } from "./world.ts";

let world: World;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const question = async (task: string) => (await world.rows("question")).find((row) => row.task === task);

/** Counts in how many places of a conversation a sentence stands, whenever something changes. */
const WATCH = `
  globalThis.watched = { counts: [], wasGoing: false };
  new MutationObserver(() => {
    const places = [...document.querySelectorAll("[data-turn], [data-going]")];
    watched.counts.push(places.filter((place) => place.textContent.includes("Now somebody must")).length);
    watched.wasGoing ||= document.querySelector("[data-going]") !== null;
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
`;

beforeAll(async () => {
  world = await startWorld();
  await until(async () => (await world.rows("inbox")).length === 2, "two questions at once");
  context = await world.visitor();
  page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (line) => {
    if (line.type() === "error" && /content security|react/i.test(line.text())) complaints.push(line.text());
  });
});

afterAll(async () => {
  await world?.end();
});

test("without the link nobody sees anything, and is told what to do", async () => {
  const stranger = await (await world.browser.newContext()).newPage();
  await stranger.goto(at("/"));
  await stranger.getByText("jangdan link").waitFor();
  await stranger.context().close();
});

test("the link leaves no token in the address, and the title counts what waits", async () => {
  await page.goto(at("/"));
  expect(page.url()).toBe(at("/"));
  await page.getByText("In which order shall the menu be?").first().waitFor();
  await until(async () => (await page.title()) === "(2) Jangdan", "the count in the title");
});

const VIEWS: [name: string, path: string, there: string][] = [
  ["home", "/", "article"],
  ["canvas", "/runs/RUN/canvas", "[data-task]"],
  ["board", "/runs/RUN/board", "[data-task]"],
  ["schedule", "/runs/RUN/schedule", "[data-task]"],
  ["timeline", "/runs/RUN/timeline", "main li"],
  ["team", "/runs/RUN/team", "[data-session]"],
  ["tasks", "/runs/RUN/list", "main li"],
  ["inbox", "/runs/RUN/inbox", "main article"],
  ["chat", "/runs/RUN/chat", "[data-card]"],
  ["task-conversation", "/runs/RUN/tasks/T1.1", "[data-turn]"],
  ["task-output", "/runs/RUN/tasks/T1.2?tab=output", "[role=tabpanel] [data-way]"],
  ["task-terminal", "/runs/RUN/tasks/T1.4?tab=output", "[role=tabpanel] .terminal .row"],
  ["task-events", "/runs/RUN/tasks/T1.1?tab=events", "[role=tabpanel] li"],
  ["task-changes", "/runs/RUN/tasks/T1.2?tab=changes", "[role=tabpanel] details"],
  ["task-checks", "/runs/RUN/tasks/T1.2?tab=checks", "[role=tabpanel] details"],
  ["task-attempts", "/runs/RUN/tasks/T1.2?tab=attempts", "[role=tabpanel] li"],
  ["new", "/new", "textarea"],
];

/** The views that are made for small screens. */
const PHONE = ["home", "tasks", "inbox", "chat", "task-conversation"];
/** The views of which there is a dark picture, too; more would not show more. */
const DARK = ["tasks", "canvas", "schedule", "task-conversation"];

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each(VIEWS)("%s can be used by everybody", async (name, path, there) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(at(path));
    await page.locator(there).first().waitFor();
    expect(await findings(page)).toEqual([]);
    if (colorScheme === "light") await picture(page, name);
    else if (DARK.includes(name)) await picture(page, `${name}-dark`);
  });
});

test("on a phone and in Korean everything is there, and nothing sticks out", async () => {
  const phone = await world.visitor({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = await phone.newPage();
  for (const [name, path, there] of VIEWS.filter(([name]) => PHONE.includes(name))) {
    await small.goto(at(path));
    await small.locator(there).first().waitFor();
    const sticksOut = await small.evaluate("document.documentElement.scrollWidth > innerWidth");
    expect(sticksOut, name).toBe(false);
    expect(await findings(small)).toEqual([]);
    await picture(small, `phone-${name}`);
  }
  await small.getByRole("button", { name: "일시 정지" }).waitFor();
  await phone.close();
});

async function expectUsable(what: string): Promise<void> {
  expect(await findingsInBoth(page), what).toEqual([]);
}

test("the palette and the keys help are a key away", async () => {
  await page.goto(at("/runs/RUN/list"));
  await page.locator("main li").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("t2.1");
  await expectUsable("the palette");
  await picture(page, "palette");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByText("T2.1").first().waitFor();
  await page.keyboard.press("Escape");
  await until(() => page.url() === at("/runs/RUN/list"), "the view under the panel");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await expectUsable("the keys");
  await page.keyboard.press("Escape");
});

test("what opens over a view can be used by everybody: settings, retrying, menus", async () => {
  await page.goto(at("/runs/RUN/list"));
  await page.locator("main li").first().waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menu").waitFor();
  await expectUsable("the settings");
  await page.keyboard.press("Escape");
  await page.locator("[data-run-menu]").click();
  await page.getByRole("menu").waitFor();
  await expectUsable("the menu of the run");
  await page.getByRole("menuitem", { name: "Land its work…" }).click();
  await page.getByRole("dialog", { name: /^Land the work/ }).waitFor();
  await expectUsable("the question before landing");
  await page.keyboard.press("Escape");
  await page.goto(at("/runs/RUN/tasks/T1.1"));
  await page.getByRole("button", { name: "Try again…" }).click();
  await page.getByRole("dialog", { name: /T1\.1/ }).getByRole("textbox").last().waitFor();
  await expectUsable("trying again");
  await page.keyboard.press("Escape");
  const session = (await world.rows("session")).find(({ task }) => task === "T1.1");
  await page.goto(at(`/runs/RUN/sessions/${session?.id}`));
  await page.getByRole("dialog").locator("[data-way], .terminal .row").first().waitFor();
  await expectUsable("a session");
});

test("a plan is read while it is typed, and a mistake leads to its place", async () => {
  await page.goto(at("/new"));
  const text = page.getByLabel("Text of the plan");
  await text.fill("# Shop\n\n## Phase 1: Ground\n\n- [ ] T1.1 Menu\n- [ ] T1.2 Tax (depends on T9.9)\n");
  const mistake = page.getByRole("button", { name: /T9\.9/ }).first();
  await mistake.click();
  await picture(page, "new");
  await text.fill("# Shop\n\n## Phase 1: Ground\n\n- [ ] T1.1 Menu\n- [ ] T1.2 Tax (depends on T1.1)\n");
  await page.getByRole("button", { name: "Start the run" }).waitFor();
});

test("free words while two questions wait are not guessed at: the list stands there", async () => {
  await page.goto(at("/runs/RUN/chat"));
  const box = page.getByPlaceholder("Message the orchestrator…");
  await box.fill("with tax");
  await box.press("Enter");
  const choices = page.getByRole("group", { name: /Which one/ });
  await choices.waitFor();
  await expectUsable("the list of questions");
  await picture(page, "chat-which");
  await choices.getByRole("button", { name: /T1\.3/ }).click();
  await box.or(page.getByPlaceholder(/^Answer:/)).press("Enter");
  await until(async () => (await question("T1.3"))?.answer === "with tax", "the answer at its question");
  expect((await question("T1.1"))?.answer).toBeNull();
});

test("a card of the chat shows its answer", async () => {
  const answered = (await question("T1.3"))?.id;
  await page.locator(`[data-card="${answered}"]`).getByText("with tax").last().waitFor();
});

test("a double-click on the canvas opens a task", async () => {
  await page.goto(at("/runs/RUN/canvas"));
  await page.locator('[data-task="T1.1"]').first().dblclick();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /by price/ })
    .waitFor();
  await picture(page, "canvas-task");
});

test("a task's panel has the whole conversation in order, takes the answer, and the task goes on", async () => {
  await page.locator("[data-turn]").first().waitFor();
  const second = await context.newPage();
  await second.goto(at("/runs/RUN/tasks/T1.1"));
  await second.locator("[data-turn]").first().waitFor();
  await page.evaluate(WATCH);
  await page.keyboard.press("1");
  await until(async () => (await question("T1.1"))?.answer === "by price", "the answer");
  await until(async () => {
    const task = (await world.rows("task")).find(({ id }) => id === "T1.1");
    return task && task.state !== "blocked";
  }, "the task that goes on");
  for (const tab of [page, second]) {
    await tab.getByText("by price").last().waitFor();
    const turns = await tab
      .locator("[data-turn]")
      .evaluateAll((all) => all.map((turn) => Number(turn.dataset.turn)));
    expect(turns).toEqual(turns.map((_, index) => index));
  }
  await second.close();
});

test("what an agent says and does now is seen, until its turn stands there with the tools folded", async () => {
  const turn = page.locator("[data-turn]", { hasText: "The menu has five things" });
  await turn.waitFor();
  const { counts, wasGoing } = await page.evaluate<{ counts: number[]; wasGoing: boolean }>("watched");
  expect(wasGoing).toBe(true);
  // First nowhere, then in one place: never in both, and never in none while one takes the other's place.
  expect(counts.join("").replace(/^0*/, "")).toMatch(/^1+$/);
  expect(await page.locator("[data-going]").count()).toBe(0);
  const words = (await turn.textContent()) ?? "";
  const order = ["I read the plan", "tool calls", "Now somebody", "2 tool calls", "The menu has five"];
  expect(order.map((part) => words.indexOf(part)).every((at, n, all) => at > (all[n - 1] ?? -1))).toBe(true);
  for (const line of ["2 tool calls", "sh test.sh menu"]) {
    await turn.locator("summary", { hasText: line }).first().focus();
    await page.keyboard.press("Enter");
  }
  await turn.getByText(/ok {4}menu/).waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "task-tools");
});

test("the timeline tells the life of a question", async () => {
  await page.goto(at("/runs/RUN/timeline"));
  const id = (await question("T1.1"))?.id ?? "";
  const kinds = (await world.rows("timeline")).filter((row) => row.question === id).map((row) => row.kind);
  expect(kinds.length).toBeGreaterThan(1);
  await page.getByText("In which order shall the menu be?").first().waitFor();
  await picture(page, "timeline");
});

test("a server that was killed is missed, and found again without loss", async () => {
  await page.goto(at("/runs/RUN/list"));
  await page.locator("main li").first().waitFor();
  await world.killServer();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  await expectUsable("a page without its server");
  await picture(page, "offline");
  await world.startServer();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await until(async () => (await world.rows("inbox")).length > 0, "what waits next");
  await until(async () => {
    const shown = await page
      .locator("main li button")
      .evaluateAll((all) => all.map((line) => line.textContent ?? ""));
    const done = (await world.rows("task")).filter(({ state }) => state === "done");
    return shown.filter((line) => line.includes("Done")).length === done.length;
  }, "the same rows in the page and in the server");
});

test("by keys alone the inbox is settled", async () => {
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("main article").first().waitFor();
  const before = (await world.rows("inbox")).map(({ item }) => `${item.type}/${item.id}`);
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("1");
  await until(async () => {
    const now = (await world.rows("inbox")).map(({ item }) => `${item.type}/${item.id}`);
    return before.some((name) => !now.includes(name));
  }, "something settled");
});

test("the browser had nothing to complain about", () => {
  expect(complaints).toEqual([]);
});
