import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentScripts, agentThatAsks, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

/** All agents ask at the same time, each its own question. */
const NAMES = "ada bea cem dan eva fay gus hal ida jun kim lee mia noa pia rob".split(" ");
const AGENTS: AgentScripts = Object.fromEntries(
  NAMES.map((name) => [name, agentThatAsks(`What does ${name} want?`)]),
);
const taskIdOfAgent = (name: string) => `T1.${NAMES.indexOf(name) + 1}`;

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const fetchQuestions = () => fixture.rows("question");
const questionOfAgent = async (name: string) =>
  waitUntil(
    async () => (await fetchQuestions()).find(({ task }) => task === taskIdOfAgent(name)),
    `the question of ${name}`,
  );
const answeredTaskIds = async () =>
  (await fetchQuestions()).flatMap(({ task, answer }) => (answer ? [task] : [])).sort();
/** Waits for this answer, and checks that no other question was answered. */
async function expectOnlyAnswer(name: string, answer: string, before: (string | null)[]): Promise<void> {
  await waitUntil(async () => (await questionOfAgent(name)).answer === answer, `the answer of ${name}`);
  expect(await answeredTaskIds()).toEqual([...before, taskIdOfAgent(name)].sort());
}
const sendCommand = (command: object) =>
  fixture.post(`/api/runs/${fixture.run}/commands`, { person: "ana", command });

const entrySelectorOf = async (name: string) =>
  `[data-entry="${fixture.run}/${(await questionOfAgent(name)).id}"]`;
const itemOf = async (name: string) => `question.${(await questionOfAgent(name)).id}`;
const agentsWithPendingQuestion = async () => {
  const pending = (await fetchQuestions())
    .filter(({ status }) => status === "pending")
    .map(({ task }) => task);
  return NAMES.filter((name) => pending.includes(taskIdOfAgent(name)));
};

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  await waitUntil(
    async () => (await fixture.rows("inbox")).length === NAMES.length,
    "a question of every agent",
  );
  context = await fixture.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

/** The agent of the selected card. */
async function agentOfSelectedCard(): Promise<string> {
  const label = await page.locator("[data-selected] article").getAttribute("aria-label");
  return NAMES.find((name) => label?.includes(name)) ?? "";
}

test("a number key does not answer a question behind the panel of a session", async () => {
  const builtIn = (await fixture.rows("session")).find(({ task }) => task === null);
  for (const [place, content] of [
    ["needs-you", "article"],
    ["activity", "[data-card]"],
  ]) {
    await page.goto(pageUrl(`/runs/RUN/sessions/${builtIn?.id}?over=${place}`));
    await page.getByRole("dialog").getByText("Built in, no agent process").waitFor();
    await page
      .locator(content ?? "")
      .first()
      .waitFor();
    await page.keyboard.press("1");
    // The help does not list the key either.
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Show keyboard shortcuts").waitFor();
    expect(await help.getByText("Choose this option").count()).toBe(0);
    await page.keyboard.press("Escape");
  }
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.locator("[data-selected] [data-option]").first().waitFor();
  expect(await answeredTaskIds()).toEqual([]);
});

test("a number key that is held down does not answer another question", async () => {
  await page.evaluate(
    "document.dispatchEvent(new KeyboardEvent('keydown', { key: '1', code: 'Digit1', repeat: true }))",
  );
  await page.keyboard.press("j");
  const name = await agentOfSelectedCard();
  await page.keyboard.press("2");
  await expectOnlyAnswer(name, "milk", []);
});

test("a number key is ignored right after a card was selected automatically, and answers later", async () => {
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.locator("[data-selected] [data-option]").first().waitFor();
  const first = await agentOfSelectedCard();
  const before = await answeredTaskIds();
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
  await sendCommand({ answer: { question: (await questionOfAgent(first)).id, answer: "milk" } });
  await waitUntil(() => page.evaluate("pressed"), "another selected card");
  const next = await agentOfSelectedCard();
  expect(next).not.toBe(first);
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  expect((await questionOfAgent(next)).answer).toBeNull();
  const now = await agentOfSelectedCard();
  await page.keyboard.press("1");
  await expectOnlyAnswer(now, "tea", [...before, taskIdOfAgent(first)]);
});

test("in every place one click opens a task, and so do three", async () => {
  const [name = ""] = await agentsWithPendingQuestion();
  const targets: [address: string, selector: string][] = [
    ["work?view=list", `main [data-task="${taskIdOfAgent(name)}"]`],
    ["work?view=schedule", `main [data-task="${taskIdOfAgent(name)}"]`],
    [`needs-you?item=${await itemOf(name)}`, `${await entrySelectorOf(name)} header button:visible`],
    ["activity", `[data-card="${(await questionOfAgent(name)).id}"] header button`],
  ];
  for (const [address, selector] of targets) {
    // A second and a third click press nothing in the panel, and do not close it.
    for (const clickCount of [1, 3]) {
      await page.goto(pageUrl(`/runs/RUN/${address}`));
      await page.locator(selector).first().click({ clickCount, delay: 20 });
      await page.getByRole("dialog").getByText(`What does ${name} want?`).first().waitFor();
      expect(page.url(), selector).toContain(`/tasks/${taskIdOfAgent(name)}`);
      await page.keyboard.press("Escape");
      await waitUntil(() => page.url() === pageUrl(`/runs/RUN/${address}`), "the place under the panel");
    }
  }
  for (const [address, selector] of targets.slice(0, 3)) {
    await page.goto(pageUrl(`/runs/RUN/${address}`));
    await page.locator(selector).first().focus();
    await page.keyboard.press("Enter");
    await waitUntil(() => page.url().includes(`/tasks/${taskIdOfAgent(name)}`), "the task by a key");
  }
});

test("a key that is held while a panel opens does not press a button in it", async () => {
  const [name = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.locator(`main [data-task="${taskIdOfAgent(name)}"]`).focus();
  await page.keyboard.down("Enter");
  await page.locator("[role=dialog] [data-option]:focus").waitFor();
  await page.keyboard.down("Enter");
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await page.keyboard.press("2");
  await expectOnlyAnswer(name, "milk", before);
});

test("a key that is pressed twice opens a panel and does not press a button in it", async () => {
  const [name = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.locator(`main [data-task="${taskIdOfAgent(name)}"]`).focus();
  // Stop the clock, so that a slow machine does not matter.
  await page.evaluate("const now = performance.now(); performance.now = () => now;");
  await page.keyboard.press("Enter");
  await page.locator("[role=dialog] [data-option]:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("2");
  await expectOnlyAnswer(name, "milk", before);
});

test("a draft is the same in the list, in the chat and in the task, and survives a reload", async () => {
  const [name = "", other = ""] = await agentsWithPendingQuestion();
  const inList = async (name: string) => {
    await page.goto(pageUrl(`/runs/RUN/needs-you?item=${await itemOf(name)}`));
    return page.locator(`${await entrySelectorOf(name)} textarea`);
  };
  await (await inList(name)).fill("coffee please");
  await (await inList(other)).fill("water");
  expect(await (await inList(name)).inputValue()).toBe("coffee please");
  await page.reload();
  expect(await (await inList(name)).inputValue()).toBe("coffee please");
  await page.keyboard.press("o");
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`What does ${name} want?`).first().waitFor();
  expect(await dialog.locator("textarea").first().inputValue()).toBe("coffee please");
  await page.goto(pageUrl("/runs/RUN/activity"));
  const box = page.locator(`[data-card="${(await questionOfAgent(name)).id}"] textarea`);
  expect(await box.inputValue()).toBe("coffee please");
  const before = await answeredTaskIds();
  await box.press("Enter");
  await expectOnlyAnswer(name, "coffee please", before);
  expect(await (await inList(other)).inputValue()).toBe("water");
});

test("an answer is sent even if the browser reports to be offline", async () => {
  const [name = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  await page.goto(pageUrl(`/runs/RUN/needs-you?item=${await itemOf(name)}`));
  await page
    .locator(`${await entrySelectorOf(name)} [data-option]`)
    .first()
    .waitFor();
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await page.locator(`${await entrySelectorOf(name)} [data-option="2"]`).click();
  await expectOnlyAnswer(name, "milk", before);
  // Other views load, too.
  await page.getByRole("link", { name: "Activity" }).click();
  await page.locator("main article").first().waitFor();
});

test("a command whose response was lost is executed once", async () => {
  const [name = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  await page.goto(pageUrl(`/runs/RUN/needs-you?item=${await itemOf(name)}`));
  const keys: string[] = [];
  await page.route("**/commands", async (route) => {
    keys.push(route.request().headers()["idempotency-key"] ?? "");
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await page.locator(`${await entrySelectorOf(name)} [data-option="1"]`).click();
  await page.getByRole("status").getByText("Answer sent").waitFor();
  await page.unroute("**/commands");
  await expectOnlyAnswer(name, "tea", before);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test("two questions answered at once, in the inbox and in a task, are not mixed up", async () => {
  const [first = "", second = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  const other = await context.newPage();
  await page.goto(pageUrl(`/runs/RUN/needs-you?item=${await itemOf(first)}`));
  await other.goto(pageUrl(`/runs/RUN/tasks/${taskIdOfAgent(second)}`));
  const inInbox = page.locator(`${await entrySelectorOf(first)} textarea`);
  const inTask = other.getByRole("dialog").locator("textarea").first();
  await inInbox.fill(`something for ${first}`);
  await inTask.fill(`something for ${second}`);
  await Promise.all([inTask.press("Enter"), inInbox.press("Enter")]);
  const answer = `something for ${second}`;
  await waitUntil(async () => (await questionOfAgent(second)).answer === answer, `the answer of ${second}`);
  await expectOnlyAnswer(first, `something for ${first}`, [...before, taskIdOfAgent(second)]);
  await other.close();
});

test("a reloaded page shows the question again and takes the answer", async () => {
  const [name = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  await page.goto(pageUrl(`/runs/RUN/tasks/${taskIdOfAgent(name)}`));
  await page.getByRole("dialog").locator("[data-option]").first().waitFor();
  await page.reload();
  await page.getByRole("dialog").getByText(`What does ${name} want?`).first().waitFor();
  await page.getByRole("dialog").locator('[data-option="2"]').click();
  await expectOnlyAnswer(name, "milk", before);
});

test("on a phone a tap opens a task, and its question is answered by tapping", async () => {
  const [name = "", other = ""] = await agentsWithPendingQuestion();
  const before = await answeredTaskIds();
  const phone = await fixture.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const small = await phone.newPage();
  await small.goto(pageUrl("/runs/RUN/needs-you"));
  await small.locator(`[data-row="${fixture.run}/${(await questionOfAgent(name)).id}"]`).tap();
  await small.locator(`${await entrySelectorOf(name)} [data-option="1"]`).tap();
  await expectOnlyAnswer(name, "tea", before);
  await small.goto(pageUrl("/runs/RUN/work?view=list"));
  await small.locator(`main [data-task="${taskIdOfAgent(other)}"]`).tap();
  const about = small.getByRole("dialog").locator("details").filter({ hasText: "Details" });
  expect(await about.getByText("Tokens").isVisible()).toBe(false);
  await about.locator("summary").tap();
  await about.getByText("Tokens").waitFor();
  const box = small.getByRole("dialog").locator("textarea").first();
  await box.tap();
  await box.fill("cocoa");
  await small.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).tap();
  await expectOnlyAnswer(other, "cocoa", [...before, taskIdOfAgent(name)]);
  await phone.close();
});

/** Answers all questions but `n`, and returns the agents of those. */
async function answerUntilNPending(n: number): Promise<string[]> {
  const names = await agentsWithPendingQuestion();
  for (const name of names.slice(n)) {
    await sendCommand({ answer: { question: (await questionOfAgent(name)).id, answer: "tea" } });
  }
  return names.slice(0, n);
}

test("text that is begun in the chat while one question is open never answers another", async () => {
  const [first = "", second = ""] = await answerUntilNPending(2);
  await page.goto(pageUrl("/runs/RUN/activity"));
  const card = page.locator(`[data-card="${(await questionOfAgent(second)).id}"]`);

  await card.locator('[data-option="2"]').click();
  await waitUntil(async () => (await questionOfAgent(second)).answer === "milk", "the answer from the card");
  await card.getByText("milk").last().waitFor();
  const box = page.locator("main form textarea").last();
  await waitUntil(
    async () => (await box.getAttribute("placeholder")) === "Answer the open question…",
    "one question",
  );
  const id = (await questionOfAgent(first)).id;
  await box.fill("juice");
  const sent = page.waitForRequest((request) => request.method() === "POST");
  // Another person answers first.
  await sendCommand({ answer: { question: id, answer: "tea" } });
  await box.press("Enter");
  expect((await sent).postDataJSON().command).toEqual({ answer: { question: id, answer: "juice" } });
  await page.getByRole("alert").waitFor();
  expect(await box.inputValue()).toBe("juice");
  expect((await questionOfAgent(first)).answer).toBe("tea");
  // No question is open any more, so the same text is a message to the orchestrator.
  await waitUntil(
    async () => (await box.getAttribute("placeholder")) === "Message the orchestrator…",
    "no question",
  );
  await box.press("Enter");
  await page.locator('[data-author="person"]').getByText("juice").waitFor();
});
