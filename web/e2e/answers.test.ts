import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentScripts, asksQuestion, type RunFixture, startRunFixture, until } from "./fixture.ts";

/** All agents ask at the same time, each its own question. */
const NAMES = "ada bea cem dan eva fay gus hal ida jun kim lee mia noa pia rob".split(" ");
const AGENTS: AgentScripts = Object.fromEntries(
  NAMES.map((name) => [name, asksQuestion(`What does ${name} want?`)]),
);
const taskOf = (name: string) => `T1.${NAMES.indexOf(name) + 1}`;

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;

const at = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const questions = () => fixture.rows("question");
const questionOf = async (name: string) =>
  until(async () => (await questions()).find(({ task }) => task === taskOf(name)), `the question of ${name}`);
const answered = async () => (await questions()).flatMap(({ task, answer }) => (answer ? [task] : [])).sort();
/** Waits for this answer, and checks that no other question was answered. */
async function expectAnswer(name: string, answer: string, before: (string | null)[]): Promise<void> {
  await until(async () => (await questionOf(name)).answer === answer, `the answer of ${name}`);
  expect(await answered()).toEqual([...before, taskOf(name)].sort());
}
const sendCommand = (command: object) =>
  fixture.post(`/api/runs/${fixture.run}/commands`, { person: "ana", command });

const entryOf = async (name: string) => `[data-entry="${fixture.run}/${(await questionOf(name)).id}"]`;
const pendingNames = async () => {
  const pending = (await questions()).filter(({ status }) => status === "pending").map(({ task }) => task);
  return NAMES.filter((name) => pending.includes(taskOf(name)));
};

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  await until(async () => (await fixture.rows("inbox")).length === NAMES.length, "a question of every agent");
  context = await fixture.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

/** The agent of the selected card. */
async function selected(): Promise<string> {
  const label = await page.locator("[data-selected] article").getAttribute("aria-label");
  return NAMES.find((name) => label?.includes(name)) ?? "";
}

test("a number does not answer a question behind the panel of a session", async () => {
  const builtIn = (await fixture.rows("session")).find(({ task }) => task === null);
  for (const view of ["inbox", "list"]) {
    await page.goto(at(`/runs/RUN/sessions/${builtIn?.id}?over=${view}`));
    await page.getByRole("dialog").getByText("Built in, no agent process").waitFor();
    await page.locator("article").first().waitFor();
    await page.keyboard.press("1");
    // The help does not list the key either.
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Show keyboard shortcuts").waitFor();
    expect(await help.getByText("Choose this option").count()).toBe(0);
    await page.keyboard.press("Escape");
  }
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("[data-selected] [data-option]").first().waitFor();
  expect(await answered()).toEqual([]);
});

test("a number that is held down answers nothing more", async () => {
  await page.evaluate(
    "document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', code: 'Digit1', repeat: true }))",
  );
  await page.keyboard.press("j");
  const name = await selected();
  await page.keyboard.press("2");
  await expectAnswer(name, "milk", []);
});

test("right after the next card is selected automatically a number does nothing, and later it answers", async () => {
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("[data-selected] [data-option]").first().waitFor();
  const first = await selected();
  const before = await answered();
  // A key press that was meant for the card that another person has just settled.
  await page.evaluate(`
    const label = () => document.querySelector("[data-selected] article")?.getAttribute("aria-label");
    const first = label();
    globalThis.pressed = false;
    new MutationObserver(() => {
      if (!label() || label() === first) return;
      setTimeout(() => {
        if (!pressed) document.dispatchEvent(new KeyboardEvent("keydown", { key: "1", code: "Digit1" }));
        pressed = true;
      }, 50);
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
  `);
  await sendCommand({ answer: { question: (await questionOf(first)).id, answer: "milk" } });
  await until(() => page.evaluate("pressed"), "another selected card");
  const next = await selected();
  expect(next).not.toBe(first);
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  expect((await questionOf(next)).answer).toBeNull();
  const now = await selected();
  await page.keyboard.press("1");
  await expectAnswer(now, "tea", [...before, taskOf(first)]);
});

test("in every view a double-click opens a task, and a single click does not", async () => {
  const [name = ""] = await pendingNames();
  const card = `[data-card="${(await questionOf(name)).id}"]`;
  const targets: [view: string, selector: string][] = [
    ["list", `main [data-task="${taskOf(name)}"]`],
    ["schedule", `main [data-task="${taskOf(name)}"]`],
    ["inbox", `${await entryOf(name)} header button`],
    ["inbox", `${await entryOf(name)} h3`],
    ["chat", `${card} header button`],
    ["chat", `${card} h3`],
  ];
  for (const [view, selector] of targets) {
    await page.goto(at(`/runs/RUN/${view}`));
    await page.locator(selector).first().click();
    expect(await page.getByRole("dialog").count(), selector).toBe(0);
    // A third click presses nothing in the panel, and does not close it.
    await page.locator(selector).first().click({ clickCount: 3, delay: 20 });
    await page.getByRole("dialog").getByText(`What does ${name} want?`).first().waitFor();
    expect(page.url(), selector).toContain(`/tasks/${taskOf(name)}`);
    await page.keyboard.press("Escape");
    await until(() => page.url() === at(`/runs/RUN/${view}`), "the view under the panel");
  }
  for (const view of ["list", "inbox"]) {
    await page.goto(at(`/runs/RUN/${view}`));
    await page
      .locator(targets.find(([name]) => name === view)?.[1] ?? "")
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await until(() => page.url().includes(`/tasks/${taskOf(name)}`), "the task by a key");
  }
});

test("a key that is held while a panel opens presses nothing in it", async () => {
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

test("a key that is pressed twice opens a panel and presses nothing in it", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/list"));
  await page.locator(`main [data-task="${taskOf(name)}"]`).focus();
  // Stop the clock, so that a slow machine does not matter.
  await page.evaluate("const now = performance.now(); performance.now = () => now;");
  await page.keyboard.press("Enter");
  await page.locator("[role=dialog] [data-option]:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("2");
  await expectAnswer(name, "milk", before);
});

test.each(["inbox", "chat"])(
  "in the %s a double-click in a text field does not open the task, and drafts are kept",
  async (view) => {
    const [name = "", other = ""] = await pendingNames();
    const cardOf = async (name: string) =>
      view === "chat" ? `[data-card="${(await questionOf(name)).id}"]` : await entryOf(name);
    await page.goto(at(`/runs/RUN/${view}`));
    const box = page.locator(`${await cardOf(name)} textarea`);
    await box.fill("coffee please");
    await page.locator(`${await cardOf(other)} textarea`).fill("water");
    await box.dblclick({ position: { x: 25, y: 15 } });
    expect(page.url()).toBe(at(`/runs/RUN/${view}`));
    await page.locator(`${await cardOf(name)} h3`).dblclick();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`What does ${name} want?`).first().waitFor();
    expect(await dialog.locator("textarea").first().inputValue()).toBe("coffee please");
    await page.keyboard.press("Escape");
    await until(() => page.url() === at(`/runs/RUN/${view}`), "the view under the panel");
    expect(await box.inputValue()).toBe("coffee please");
    const before = await answered();
    await box.press("Enter");
    await expectAnswer(name, "coffee please", before);
    expect(await page.locator(`${await cardOf(other)} textarea`).inputValue()).toBe("water");
  },
);

test("an answer is sent even if the browser reports to be offline", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/inbox"));
  await page
    .locator(`${await entryOf(name)} [data-option]`)
    .first()
    .waitFor();
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await page.locator(`${await entryOf(name)} [data-option="2"]`).click();
  await expectAnswer(name, "milk", before);
  // Other views load, too.
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.locator("main article").first().waitFor();
});

test("a command whose response was lost is executed once", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at("/runs/RUN/inbox"));
  const keys: string[] = [];
  await page.route("**/commands", async (route) => {
    keys.push(route.request().headers()["idempotency-key"] ?? "");
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await page.locator(`${await entryOf(name)} [data-option="1"]`).click();
  await page.getByRole("status").getByText("Answer sent").waitFor();
  await page.unroute("**/commands");
  await expectAnswer(name, "tea", before);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test("two questions answered at once, in the inbox and in a task, are not mixed up", async () => {
  const [first = "", second = ""] = await pendingNames();
  const before = await answered();
  const other = await context.newPage();
  await page.goto(at("/runs/RUN/inbox"));
  await other.goto(at(`/runs/RUN/tasks/${taskOf(second)}`));
  const inInbox = page.locator(`${await entryOf(first)} textarea`);
  const inTask = other.getByRole("dialog").locator("textarea").first();
  await inInbox.fill(`something for ${first}`);
  await inTask.fill(`something for ${second}`);
  await Promise.all([inTask.press("Enter"), inInbox.press("Enter")]);
  const answer = `something for ${second}`;
  await until(async () => (await questionOf(second)).answer === answer, `the answer of ${second}`);
  await expectAnswer(first, `something for ${first}`, [...before, taskOf(second)]);
  await other.close();
});

test("a reloaded page shows the question again and takes the answer", async () => {
  const [name = ""] = await pendingNames();
  const before = await answered();
  await page.goto(at(`/runs/RUN/tasks/${taskOf(name)}`));
  await page.getByRole("dialog").locator("[data-option]").first().waitFor();
  await page.reload();
  await page.getByRole("dialog").getByText(`What does ${name} want?`).first().waitFor();
  await page.getByRole("dialog").locator('[data-option="2"]').click();
  await expectAnswer(name, "milk", before);
});

test("on a phone a tap opens a task, and its question is answered by tapping", async () => {
  const [name = "", other = ""] = await pendingNames();
  const before = await answered();
  const phone = await fixture.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const small = await phone.newPage();
  await small.goto(at("/runs/RUN/inbox"));
  await small.locator(`${await entryOf(name)} [data-option="1"]`).tap();
  await expectAnswer(name, "tea", before);
  await small.goto(at("/runs/RUN/list"));
  await small.locator(`main [data-task="${taskOf(other)}"]`).tap();
  const about = small.getByRole("dialog").locator("details").filter({ hasText: "Details" });
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

/** Answers all questions but `n`, and returns the agents of those. */
async function answerAllBut(n: number): Promise<string[]> {
  const names = await pendingNames();
  for (const name of names.slice(n)) {
    await sendCommand({ answer: { question: (await questionOf(name)).id, answer: "tea" } });
  }
  return names.slice(0, n);
}

test("text that is begun in the chat while one question is open never answers another", async () => {
  const [first = "", second = ""] = await answerAllBut(2);
  await page.goto(at("/runs/RUN/chat"));
  const card = page.locator(`[data-card="${(await questionOf(second)).id}"]`);

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
  // Another person answers first.
  await sendCommand({ answer: { question: id, answer: "tea" } });
  await box.press("Enter");
  expect((await sent).postDataJSON().command).toEqual({ answer: { question: id, answer: "juice" } });
  await page.getByRole("alert").waitFor();
  expect(await box.inputValue()).toBe("juice");
  expect((await questionOf(first)).answer).toBe("tea");
  // No question is open any more, so the same text is a message to the orchestrator.
  await until(
    async () => (await box.getAttribute("placeholder")) === "Message the orchestrator…",
    "no question",
  );
  await box.press("Enter");
  await page.locator('[data-author="person"]').getByText("juice").waitFor();
});
