import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asks, type Cast, startWorld, until, type World } from "./world.ts";

/** Everybody asks at once, and each a question of their own. */
const NAMES = "ada bea cem dan eva fay gus hal ida jun kim lee mia noa pia rob".split(" ");
const CAST: Cast = Object.fromEntries(NAMES.map((name) => [name, asks(`What does ${name} want?`)]));
const taskOf = (name: string) => `T1.${NAMES.indexOf(name) + 1}`;

let world: World;
let context: BrowserContext;
let page: Page;

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const questions = () => world.rows("question");
const questionOf = async (name: string) =>
  until(async () => (await questions()).find(({ task }) => task === taskOf(name)), `what ${name} asks`);
const answered = async () => (await questions()).flatMap(({ task, answer }) => (answer ? [task] : [])).sort();
/** Waits until exactly this one more is answered, and with this. */
async function expectAnswer(name: string, answer: string, before: (string | null)[]): Promise<void> {
  await until(async () => (await questionOf(name)).answer === answer, `the answer of ${name}`);
  expect(await answered()).toEqual([...before, taskOf(name)].sort());
}
const wish = (what: object) => world.send(`/api/runs/${world.run}/wishes`, { person: "ana", wish: what });

const waitingOf = async (name: string) => `[data-waiting="${world.run}/${(await questionOf(name)).id}"]`;
const pendingNames = async () => {
  const pending = (await questions()).filter(({ status }) => status === "pending").map(({ task }) => task);
  return NAMES.filter((name) => pending.includes(taskOf(name)));
};

beforeAll(async () => {
  world = await startWorld(CAST);
  await until(async () => (await world.rows("inbox")).length === NAMES.length, "a question of everybody");
  context = await world.visitor();
  page = await context.newPage();
});

afterAll(async () => {
  await world?.end();
});

/** What is marked, by who asks it. */
async function chosen(): Promise<string> {
  const words = await page.locator("[data-chosen] article").getAttribute("aria-label");
  return NAMES.find((name) => words?.includes(name)) ?? "";
}

test("no number answers what lies behind the panel of a session", async () => {
  const led = (await world.rows("session")).find(({ task }) => task === null);
  for (const view of ["inbox", "list"]) {
    await page.goto(at(`/runs/RUN/sessions/${led?.id}?over=${view}`));
    await page.getByRole("dialog").getByText("Jangdan plays this part itself.").waitFor();
    await page.locator("article").first().waitFor();
    await page.keyboard.press("1");
    // And none is offered.
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.getByText("This list").waitFor();
    expect(await help.getByText("Take that option").count()).toBe(0);
    await page.keyboard.press("Escape");
  }
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("[data-chosen] [data-option]").first().waitFor();
  expect(await answered()).toEqual([]);
});

test("who holds a number down has answered nothing more", async () => {
  await page.evaluate(
    "document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', code: 'Digit1', repeat: true }))",
  );
  await page.keyboard.press("j");
  const name = await chosen();
  await page.keyboard.press("2");
  await expectAnswer(name, "milk", []);
});

test("a number that comes while the next is marked by itself answers nothing, and later it does", async () => {
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("[data-chosen] [data-option]").first().waitFor();
  const first = await chosen();
  const before = await answered();
  // A finger that was on its way when somebody else settled what was marked.
  await page.evaluate(`
    const named = () => document.querySelector("[data-chosen] article")?.getAttribute("aria-label");
    const first = named();
    globalThis.pressed = false;
    new MutationObserver(() => {
      if (!named() || named() === first) return;
      setTimeout(() => {
        if (!pressed) document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", code: "Digit1" }));
        pressed = true;
      }, 50);
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
  `);
  await wish({ answer: { question: (await questionOf(first)).id, answer: "milk" } });
  await until(() => page.evaluate("pressed"), "another one that is marked");
  const next = await chosen();
  expect(next).not.toBe(first);
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  expect((await questionOf(next)).answer).toBeNull();
  const now = await chosen();
  await page.keyboard.press("1");
  await expectAnswer(now, "tea", [...before, taskOf(first)]);
});

test("from every view a double-click opens a task, and one click does not", async () => {
  const [name = ""] = await pendingNames();
  const card = `[data-card="${(await questionOf(name)).id}"]`;
  const ways: [view: string, place: string][] = [
    ["list", `main [data-task="${taskOf(name)}"]`],
    ["schedule", `main [data-task="${taskOf(name)}"]`],
    ["inbox", `${await waitingOf(name)} header button`],
    ["inbox", `${await waitingOf(name)} h3`],
    ["chat", `${card} header button`],
    ["chat", `${card} h3`],
  ];
  for (const [view, place] of ways) {
    await page.goto(at(`/runs/RUN/${view}`));
    await page.locator(place).first().click();
    expect(await page.getByRole("dialog").count(), place).toBe(0);
    // Who clicks once more than needed presses nothing in what has opened, and does not close it.
    await page.locator(place).first().click({ clickCount: 3, delay: 20 });
    await page.getByRole("dialog").getByText(`What does ${name} want?`).first().waitFor();
    expect(page.url(), place).toContain(`/tasks/${taskOf(name)}`);
    await page.keyboard.press("Escape");
    await until(() => page.url() === at(`/runs/RUN/${view}`), "the view under the panel");
  }
  for (const view of ["list", "inbox"]) {
    await page.goto(at(`/runs/RUN/${view}`));
    await page
      .locator(ways.find(([name]) => name === view)?.[1] ?? "")
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await until(() => page.url().includes(`/tasks/${taskOf(name)}`), "the task by a key");
  }
});

test("a key that is held when a panel opens presses nothing in it", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/list"));
  await page.locator(`main [data-task="${taskOf(name)}"]`).focus();
  await page.keyboard.down("Enter");
  await page.locator("[role=dialog] [data-option]:focus").waitFor();
  await page.keyboard.down("Enter");
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await page.keyboard.press("2");
  await expectAnswer(name, "milk", before);
});

test("a key that is pressed twice opens a panel, and presses nothing in it", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/list"));
  await page.locator(`main [data-task="${taskOf(name)}"]`).focus();
  // However slow this machine is, no time goes by.
  await page.evaluate("const now = performance.now(); performance.now = () => now;");
  await page.keyboard.press("Enter");
  await page.locator("[role=dialog] [data-option]:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("2");
  await expectAnswer(name, "milk", before);
});

test.each(["inbox", "chat"])(
  "in the %s two clicks on a word choose it, and what was begun is kept",
  async (view) => {
    const [name = "", other = ""] = await pendingNames();
    const place = async (name: string) =>
      view === "chat" ? `[data-card="${(await questionOf(name)).id}"]` : await waitingOf(name);
    await page.goto(at(`/runs/RUN/${view}`));
    const box = page.locator(`${await place(name)} textarea`);
    await box.fill("coffee please");
    await page.locator(`${await place(other)} textarea`).fill("water");
    await box.dblclick({ position: { x: 25, y: 15 } });
    expect(page.url()).toBe(at(`/runs/RUN/${view}`));
    await page.locator(`${await place(name)} h3`).dblclick();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`What does ${name} want?`).first().waitFor();
    expect(await dialog.locator("textarea").first().inputValue()).toBe("coffee please");
    await page.keyboard.press("Escape");
    await until(() => page.url() === at(`/runs/RUN/${view}`), "the view under the panel");
    expect(await box.inputValue()).toBe("coffee please");
    const before = await answered();
    await box.press("Enter");
    await expectAnswer(name, "coffee please", before);
    expect(await page.locator(`${await place(other)} textarea`).inputValue()).toBe("water");
  },
);

test("an answer goes also where the browser believes to be offline", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/inbox"));
  await page
    .locator(`${await waitingOf(name)} [data-option]`)
    .first()
    .waitFor();
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await page.locator(`${await waitingOf(name)} [data-option="2"]`).click();
  await expectAnswer(name, "milk", before);
  // And what was not fetched yet comes.
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.locator("main article").first().waitFor();
});

test("a command whose answer got lost is done once", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/inbox"));
  const keys: string[] = [];
  await page.route("**/wishes", async (route) => {
    keys.push(route.request().headers()["idempotency-key"] ?? "");
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await page.locator(`${await waitingOf(name)} [data-option="1"]`).click();
  await page.getByRole("status").getByText("Answered").waitFor();
  await page.unroute("**/wishes");
  await expectAnswer(name, "tea", before);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test("two questions at once, one answered in the inbox and one in its task, are not mixed up", async () => {
  const [first = "", second = ""] = await pendingNames();
  const before = await answered();
  const other = await context.newPage();
  await page.goto(at("/runs/RUN/inbox"));
  await other.goto(at(`/runs/RUN/tasks/${taskOf(second)}`));
  const inInbox = page.locator(`${await waitingOf(first)} textarea`);
  const inTask = other.getByRole("dialog").locator("textarea").first();
  await inInbox.fill(`something for ${first}`);
  await inTask.fill(`something for ${second}`);
  await Promise.all([inTask.press("Enter"), inInbox.press("Enter")]);
  const said = `something for ${second}`;
  await until(async () => (await questionOf(second)).answer === said, `the answer of ${second}`);
  await expectAnswer(first, `something for ${first}`, [...before, taskOf(second)]);
  await other.close();
});

test("a page that is loaded anew in the middle of a question has it again, and takes the answer", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at(`/runs/RUN/tasks/${taskOf(name)}`));
  await page.getByRole("dialog").locator("[data-option]").first().waitFor();
  await page.reload();
  await page.getByRole("dialog").getByText(`What does ${name} want?`).first().waitFor();
  await page.getByRole("dialog").locator('[data-option="2"]').click();
  await expectAnswer(name, "milk", before);
});

test("on a phone a tap opens a task, and its question is answered with a thumb", async () => {
  const [name = "", other = ""] = await pendingNames();
  const before = await answered();
  const phone = await world.visitor({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const small = await phone.newPage();
  await small.goto(at("/runs/RUN/inbox"));
  await small.locator(`${await waitingOf(name)} [data-option="1"]`).tap();
  await expectAnswer(name, "tea", before);
  await small.goto(at("/runs/RUN/list"));
  await small.locator(`main [data-task="${taskOf(other)}"]`).tap();
  const about = small.getByRole("dialog").locator("details").filter({ hasText: "About the task" });
  expect(await about.getByText("Tokens").isVisible()).toBe(false);
  await about.locator("summary").tap();
  await about.getByText("Tokens").waitFor();
  const box = small.getByRole("dialog").locator("textarea").first();
  await box.tap();
  await box.fill("cocoa");
  await small.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).tap();
  await expectAnswer(other, "cocoa", [...before, taskOf(name)]);
  await phone.close();
});

/** Leaves so many questions, and answers all others. */
async function leave(n: number): Promise<string[]> {
  const names = await pendingNames();
  for (const name of names.slice(n)) {
    await wish({ answer: { question: (await questionOf(name)).id, answer: "tea" } });
  }
  return names.slice(0, n);
}

test("what is begun in the chat while one question waits never answers another", async () => {
  const [first = "", second = ""] = await leave(2);
  await page.goto(at("/runs/RUN/chat"));
  const card = page.locator(`[data-card="${(await questionOf(second)).id}"]`);
  // Pressed in the card itself.
  await card.locator('[data-option="2"]').click();
  await until(async () => (await questionOf(second)).answer === "milk", "the answer from the card");
  await card.getByText("milk").last().waitFor();
  const box = page.locator("main form textarea").last();
  await until(
    async () => (await box.getAttribute("placeholder")) === "Answer the open question…",
    "one question",
  );
  const id = (await questionOf(first)).id;
  await box.fill("juice");
  const sent = page.waitForRequest((request) => request.method() === "POST");
  // Somebody else is quicker.
  await wish({ answer: { question: id, answer: "tea" } });
  await box.press("Enter");
  expect((await sent).postDataJSON().wish).toEqual({ answer: { question: id, answer: "juice" } });
  await page.getByRole("alert").waitFor();
  expect(await box.inputValue()).toBe("juice");
  expect((await questionOf(first)).answer).toBe("tea");
  // Nothing waits any more, so the same words go to the orchestrator now.
  await until(
    async () => (await box.getAttribute("placeholder")) === "Message the orchestrator…",
    "no question",
  );
  await box.press("Enter");
  await page.locator('[data-author="person"]').getByText("juice").waitFor();
});
