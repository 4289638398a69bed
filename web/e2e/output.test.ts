import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityIssues, screenshot } from "./accessibility.ts";
import { type AgentScripts, CLAUDE_AGENT, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

/** Agents on a terminal that are not reminded to finish during the test. */
const ON_TERMINAL = { extends: "shell", quiet_ms: 600_000 };
/** More messages than the page keeps. */
const N_MESSAGES = 2_000;

const AGENTS: AgentScripts = {
  painter: {
    preset: ON_TERMINAL,
    script: `
      voice = "screen"
      steps = [
        { say = "These words are painted, not printed\\n" },
        { say = "한글은 두 칸입니다\\n" },
        { hang = "listening" },
      ]
      [screen]
      alternate = true`,
  },
  ticker: {
    preset: ON_TERMINAL,
    script: `
      voice = "plain"
      steps = [
        { wait = "" },
        { repeat = { times = "forever", steps = [{ say = "tick {n} of the clock\\n" }, { sleep = "100ms" }] } },
      ]`,
  },
  echo: {
    preset: ON_TERMINAL,
    script: `
      voice = "plain"
      steps = [
        { wait = "" },
        { say = "\\u001b[1;32mgreen\\u001b[0m \\u001b[38;2;255;255;220mpale\\u001b[0m \\u001b[41;37mred\\u001b[0m\\n" },
        { repeat = { times = "forever", steps = [{ wait = "" }, { say = "heard: {line}\\n" }] } },
      ]`,
  },
  printer: {
    preset: ON_TERMINAL,
    script: `
      voice = "plain"
      steps = [
        { wait = "" },
        { repeat = { times = 3000, steps = [{ say = "line {n} of the print\\n" }] } },
        { say = "DONE:{task}:it is there {key}\\n" },
        { exit = 0 },
      ]`,
  },
  speaker: {
    ...CLAUDE_AGENT,
    script: `
      voice = "claude"
      steps = [
        { wait = "" },
        { say = "This is how it began.\\n" },
        { repeat = { times = ${N_MESSAGES}, steps = [{ say = "Sentence {n} of a long speech.\\n" }] } },
        { tool = { name = "Bash", kind = "execute", input = { command = "echo done" }, output = "done" } },
        { say = "And here it ends.\\n" },
        { question = { text = "Was it good?", options = ["yes", "no"] } },
        { say = "DONE:{task}:it is there\\n" },
      ]`,
  },
};
const TASK = { painter: "T1.1", ticker: "T1.2", echo: "T1.3", printer: "T1.4", speaker: "T1.5" };

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;
const browserErrors: string[] = [];

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const sessionOfTask = async (task: string) =>
  (await fixture.rows("task")).find(({ id }) => id === task)?.session ?? "";

async function openOutputOfTask(task: string, on: Page = page): Promise<void> {
  await on.goto(pageUrl(`/runs/RUN/tasks/${task}?tab=output`));
}
/** The lines of the terminal. */
const terminalLines = (on: Page = page) =>
  on.locator(".terminal").evaluate((terminal) => [...terminal.children].map((row) => row.textContent ?? ""));

/** Records errors, and violations of the content security policy. */
function recordBrowserErrors(page: Page): Page {
  page.on("pageerror", (error) => browserErrors.push(error.message));
  page.on("console", (line) => {
    if (/content security|violates/i.test(line.text())) browserErrors.push(line.text());
  });
  return page;
}

async function newContext(options?: Parameters<RunFixture["newContext"]>[0]): Promise<BrowserContext> {
  const context = await fixture.newContext(options);
  await context.exposeFunction("reportViolation", (text: string) => browserErrors.push(text));
  await context.addInitScript(
    "document.addEventListener('securitypolicyviolation', (e) => reportViolation(e.violatedDirective + ' ' + e.sourceFile))",
  );
  return context;
}

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  context = await newContext({ viewport: { width: 1280, height: 800 } });
  page = recordBrowserErrors(await context.newPage());
  await waitUntil(async () => (await fixture.rows("question")).length === 1, "the question of the speaker");
});

afterAll(async () => {
  await fixture?.stop();
});

test("violations of the content security policy are recorded", async () => {
  await page.goto(pageUrl("/"));
  await page.evaluate("document.body.setAttribute('style', 'color: red')");
  // Once as an event, and once on the console.
  await waitUntil(() => browserErrors.length === 2, "the violation");
  browserErrors.length = 0;
});

test("the output of a full-screen program is shown as it was drawn", async () => {
  await openOutputOfTask(TASK.painter);
  const words = page.locator(".terminal").getByText("These words are painted, not printed");
  await words.waitFor();
  expect(await page.locator(".terminal").getAttribute("data-wraps")).toBe("false");
  const rows = await terminalLines();
  expect(rows.join("")).not.toContain("\u001b");
  const korean = rows.find((row) => row.includes("두 칸")) ?? "";
  expect(korean.trim().replace(/^\S /, "")).toBe("한글은 두 칸입니다");
  // The prompt is in the last line of the window.
  expect([rows.length, rows.at(-1)?.trim().startsWith("›")]).toEqual([50, true]);
});

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each([
    ["screen", TASK.painter, ".terminal .row"],
    ["colours", TASK.echo, ".terminal .row span"],
    ["protocol", TASK.speaker, "[data-direction]"],
  ])("the output (%s) is accessible", async (name, task, content) => {
    await page.emulateMedia({ colorScheme });
    await openOutputOfTask(task);
    await page.locator(content).first().waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await screenshot(page, colorScheme === "dark" ? `output-${name}-dark` : `output-${name}`);
  });
});

test("another theme changes the colors of existing output", async () => {
  await openOutputOfTask(TASK.echo);
  const green = page.locator(".terminal span").filter({ hasText: "green" });
  const color = () => green.evaluate((word) => getComputedStyle(word).color);
  await page.emulateMedia({ colorScheme: "light" });
  await waitUntil(async () => (await color()) === "rgb(31, 122, 72)", "the green of the light theme");
  await page.emulateMedia({ colorScheme: "dark" });
  await waitUntil(async () => (await color()) === "rgb(87, 194, 138)", "the green of the dark theme");
  await page.emulateMedia({ colorScheme: "light" });
});

test("a line in Korean is sent, and its echo is shown", async () => {
  await openOutputOfTask(TASK.echo);
  const box = page.getByPlaceholder("Type a line to the agent…");
  await box.fill("안녕하세요");
  await box.press("Enter");
  await page.locator(".terminal").getByText("heard: 안녕하세요").waitFor();
  expect(await box.inputValue()).toBe("");
});

test("text of the terminal can be selected", async () => {
  await openOutputOfTask(TASK.echo);
  await page.locator(".terminal").getByText("heard: 안녕하세요").click({ clickCount: 3 });
  expect(String(await page.evaluate("getSelection().toString()")).trim()).toBe("heard: 안녕하세요");
});

test("a reader who has scrolled up stays there, and returns to the end with a button", async () => {
  await openOutputOfTask(TASK.ticker);
  const box = page.getByRole("region", { name: "Output" });
  const isScrollable = () => box.evaluate((element) => element.scrollHeight > element.clientHeight * 2);
  await waitUntil(isScrollable, "more lines than fit");
  await box.focus();
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Go to end" }).waitFor();
  const top = () => box.evaluate((element) => element.scrollTop);
  const before = (await terminalLines()).length;
  await waitUntil(async () => (await terminalLines()).length > before + 3, "more lines");
  expect(await top()).toBe(0);
  await page.getByRole("button", { name: "Go to end" }).click();
  const below = () =>
    box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  const later = (await terminalLines()).length;
  await waitUntil(
    async () => (await terminalLines()).length > later + 3 && (await below()) < 40,
    "the view to stay at the end",
  );
});

test("the terminal reconnects to a killed server, and no line is missing or doubled", async () => {
  await openOutputOfTask(TASK.ticker);
  const ticks = async () =>
    (await terminalLines()).flatMap(
      (row) =>
        row
          .match(/^tick (\d+) of the clock$/)
          ?.slice(1)
          .map(Number) ?? [],
    );
  await waitUntil(async () => (await ticks()).length > 5, "the clock");
  await fixture.killServer();
  await page.locator('[data-connection="away"]').waitFor();
  const before = (await ticks()).at(-1) ?? 0;
  await fixture.startServer();
  await page.locator('[data-connection="open"]').waitFor();
  await waitUntil(async () => ((await ticks()).at(-1) ?? 0) > before + 5, "the lines in between");
  const all = await ticks();
  expect(all).toEqual(all.map((_, n) => (all[0] ?? 0) + n));
  expect(all[0]).toBe(1);
});

test("an ended session shows all its output, and that it has ended", async () => {
  await waitUntil(
    async () => (await fixture.rows("task")).find(({ id }) => id === TASK.printer)?.state === "done",
    "its end",
  );
  await openOutputOfTask(TASK.printer);
  await page.getByText("The process has ended.").waitFor();
  const printed = (await terminalLines()).filter((row) => row.endsWith("of the print"));
  expect(printed).toEqual(Array.from({ length: 3000 }, (_, n) => `line ${n + 1} of the print`));
  expect(await page.getByPlaceholder("Type a line to the agent…").count()).toBe(0);
});

test("each protocol message is a line that unfolds", async () => {
  await openOutputOfTask(TASK.speaker);
  await page.getByText("And here it ends.").last().waitFor();
  await page.getByText("Bash: echo done").first().waitFor();
  const line = page.getByRole("button", { name: /assistant And here it ends/ }).first();
  expect(await line.getAttribute("aria-expanded")).toBe("false");
  await line.click();
  await page.locator("li pre").getByText('"type": "assistant"').waitFor();
  await screenshot(page, "output-unfolded");
  expect(await page.getByPlaceholder("Type a line to the agent…").count()).toBe(0);
  const box = page.getByPlaceholder("Message the agent…");
  await box.fill("mind the tabs");
  await box.press("Enter");
  await page.getByText("The agent reads it after its current turn.").waitFor();
  expect(await box.inputValue()).toBe("");
  const events = (await fixture.rows("timeline")).filter(({ kind }) => kind === "TaskMessageSent");
  expect(events.map(({ task, text }) => [task, text])).toEqual([
    [TASK.speaker, `ana to ${TASK.speaker}: mind the tabs`],
  ]);
});

test("earlier messages load while scrolling up, and only few are rendered", async () => {
  await openOutputOfTask(TASK.speaker);
  await page.getByText("And here it ends.").last().waitFor();
  const lines = page.getByRole("region", { name: "Messages" });
  let nRendered = 0;
  await waitUntil(async () => {
    nRendered = Math.max(nRendered, await page.locator("[data-direction]").count());
    await lines.evaluate((box) => {
      box.scrollTop = 0;
    });
    return page.getByText("This is how it began.").first().isVisible();
  }, "the start");
  expect(nRendered).toBeLessThan(150);
  await page.locator('[data-direction="input"]').first().waitFor();
  // Later messages that were dropped load again.
  await waitUntil(async () => {
    await lines.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    return page.getByText("And here it ends.").last().isVisible();
  }, "the end again");
});

test("on a phone and in Korean the output fits the screen", async () => {
  const phone = await newContext({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = recordBrowserErrors(await phone.newPage());
  for (const [name, task, content] of [
    ["screen", TASK.painter, ".terminal .row"],
    ["colours", TASK.echo, ".terminal .row"],
    ["protocol", TASK.speaker, "[data-direction]"],
  ] as const) {
    await openOutputOfTask(task, small);
    await small.locator(content).first().waitFor();
    expect(await small.evaluate("document.documentElement.scrollWidth > innerWidth"), name).toBe(false);
    expect(await accessibilityIssues(small)).toEqual([]);
    await screenshot(small, `phone-output-${name}`);
  }
  await phone.close();
});

test("a page that is opened during a turn says that the agent is working", async () => {
  await page.goto(pageUrl(`/runs/RUN/tasks/${TASK.painter}?tab=conversation`));
  await page.locator("[data-working]").getByText("painter is working…").waitFor();
});

test("in the team a click opens the task of a session, or the session itself", async () => {
  await page.goto(pageUrl("/runs/RUN/team"));
  const session = await sessionOfTask(TASK.speaker);
  await page.locator(`[data-session="${session}"]`).click();
  await page.getByRole("dialog").getByText("Was it good?").first().waitFor();
  expect(page.url()).toContain(`/tasks/${TASK.speaker}`);
  await page.keyboard.press("Escape");
  await waitUntil(() => page.url() === pageUrl("/runs/RUN/team"), "the team again");
  const builtIn = (await fixture.rows("session")).find(({ task }) => task === null);
  if (!builtIn) throw new Error("no built-in session");
  await page.locator(`[data-session="${builtIn.id}"]`).click();
  await page.getByRole("dialog").getByText("Built in, no agent process").waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await screenshot(page, "session-built-in");
  await page.keyboard.press("Escape");
  await waitUntil(() => page.url() === pageUrl("/runs/RUN/team"), "the team once more");
});

test("a session has its own address, with its output and the question of its task", async () => {
  await page.goto(pageUrl(`/runs/RUN/sessions/${await sessionOfTask(TASK.speaker)}`));
  await page.getByRole("dialog").getByText("Was it good?").first().waitFor();
  await page.getByText("And here it ends.").last().waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await screenshot(page, "session");
  await page.getByRole("button", { name: /T1\.5/ }).click();
  await waitUntil(() => page.url().includes(`/tasks/${TASK.speaker}`), "its task");
});

test("an agent is stopped in the panel of its session, after a confirmation", async () => {
  const session = await sessionOfTask(TASK.painter);
  const isEnded = async () =>
    (await fixture.rows("session")).find(({ id }) => id === session)?.endedAt !== null;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(pageUrl(`/runs/RUN/sessions/${session}`));
  await page.locator(".terminal .row").first().waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.getByRole("button", { name: "Stop agent" }).click();
  const sheet = page.getByRole("dialog", { name: `Stop the agent in session ${session}?` });
  await sheet.getByText("The agent's process is ended").waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await sheet.getByRole("button", { name: "Back" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(await isEnded()).toBe(false);
  await page.getByRole("button", { name: "Stop agent" }).click();
  await sheet.getByRole("button", { name: "Stop agent" }).click();
  await sheet.waitFor({ state: "detached" });
  await waitUntil(isEnded, "the end of the session");
  await page.getByRole("button", { name: "Stop agent" }).waitFor({ state: "detached" });
  await page.emulateMedia({ colorScheme: "light" });
});

test("a run is cancelled on the page, and a failure is shown and can be retried", async () => {
  await page.goto(pageUrl("/runs/RUN/team"));
  await page.locator("[data-run-menu]").click();
  await page.getByRole("menuitem", { name: "Cancel run…" }).click();
  const sheet = page.getByRole("dialog", { name: "Cancel “Example run”?" });
  expect(await accessibilityIssues(page)).toEqual([]);
  await screenshot(page, "run-cancel");
  const status = async () => (await fixture.rows("run")).at(0)?.status;
  await page.route("**/commands", (route) => route.fulfill({ status: 507, body: "no room on the disk" }));
  await sheet.getByRole("button", { name: "Cancel run" }).click();
  await sheet.getByRole("alert").getByText("no room on the disk").waitFor();
  expect(await status()).toBe("running");
  await page.unroute("**/commands");
  await sheet.getByRole("button", { name: "Cancel run" }).click();
  await sheet.waitFor({ state: "detached" });
  await waitUntil(async () => (await status()) === "cancelled", "the cancelled run");
  // It has no worktrees, so that nothing is left to merge or to delete.
  await page.locator("[data-run-menu]").waitFor({ state: "detached" });
});

test("the browser reported no errors", () => {
  expect(browserErrors).toEqual([]);
});
