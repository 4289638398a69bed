import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findings, picture } from "./looks.ts";
import { type Cast, LIKE_CLAUDE, startWorld, until, type World } from "./world.ts";

/** Nobody asks them to finish while they are looked at. */
const ON_TERMINAL = { extends: "shell", quiet_ms: 600_000 };
/** More than the page holds of it. */
const N_SAID = 2_000;

const CAST: Cast = {
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
        { say = "DONE:{task} {key}\\n" },
        { exit = 0 },
      ]`,
  },
  speaker: {
    ...LIKE_CLAUDE,
    script: `
      voice = "claude"
      steps = [
        { wait = "" },
        { say = "This is how it began.\\n" },
        { repeat = { times = ${N_SAID}, steps = [{ say = "Sentence {n} of a long speech.\\n" }] } },
        { tool = { name = "Bash", kind = "execute", input = { command = "echo done" }, output = "done" } },
        { say = "And here it ends.\\n" },
        { question = { text = "Was it good?", options = ["yes", "no"] } },
        { say = "DONE:{task}\\n" },
      ]`,
  },
};
const TASK = { painter: "T1.1", ticker: "T1.2", echo: "T1.3", printer: "T1.4", speaker: "T1.5" };

let world: World;
let context: BrowserContext;
let page: Page;
const complaints: string[] = [];

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const sessionOf = async (task: string) =>
  (await world.rows("task")).find(({ id }) => id === task)?.session ?? "";

async function openOutput(task: string, on: Page = page): Promise<void> {
  await on.goto(at(`/runs/RUN/tasks/${task}?tab=output`));
}
/** What the terminal shows, line by line. */
const shown = (on: Page = page) =>
  on.locator(".terminal").evaluate((place) => [...place.children].map((row) => row.textContent ?? ""));

/** Hears everything that the content policy forbids, and every error. */
function watch(one: Page): Page {
  one.on("pageerror", (error) => complaints.push(error.message));
  one.on("console", (line) => {
    if (/content security|violates/i.test(line.text())) complaints.push(line.text());
  });
  return one;
}

async function visit(options?: Parameters<World["visitor"]>[0]): Promise<BrowserContext> {
  const visited = await world.visitor(options);
  await visited.exposeFunction("complain", (words: string) => complaints.push(words));
  await visited.addInitScript(
    "document.addEventListener('securitypolicyviolation', (e) => complain(e.violatedDirective + ' ' + e.sourceFile))",
  );
  return visited;
}

beforeAll(async () => {
  world = await startWorld(CAST);
  context = await visit({ viewport: { width: 1280, height: 800 } });
  page = watch(await context.newPage());
  await until(async () => (await world.rows("question")).length === 1, "the end of the speech");
});

afterAll(async () => {
  await world?.end();
});

test("the policy is watched: what it forbids is heard", async () => {
  await page.goto(at("/"));
  await page.evaluate("document.body.setAttribute('style', 'color: red')");
  // Once as an event, and once as a line on the console.
  await until(() => complaints.length === 2, "the complaint");
  complaints.length = 0;
});

test("a screen that is drawn looks as the agent drew it", async () => {
  await openOutput(TASK.painter);
  const words = page.locator(".terminal").getByText("These words are painted, not printed");
  await words.waitFor();
  expect(await page.locator(".terminal").getAttribute("data-wraps")).toBe("false");
  const rows = await shown();
  expect(rows.join("")).not.toContain("\u001b");
  const korean = rows.find((row) => row.includes("두 칸")) ?? "";
  expect(korean.trim().replace(/^\S /, "")).toBe("한글은 두 칸입니다");
  // The box of the prompt stands in the last line of its window.
  expect([rows.length, rows.at(-1)?.trim().startsWith("›")]).toEqual([50, true]);
});

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each([
    ["screen", TASK.painter, ".terminal .row"],
    ["colours", TASK.echo, ".terminal .row span"],
    ["protocol", TASK.speaker, "[data-way]"],
  ])("the output with a %s can be used by everybody", async (name, task, there) => {
    await page.emulateMedia({ colorScheme });
    await openOutput(task);
    await page.locator(there).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await picture(page, colorScheme === "dark" ? `output-${name}-dark` : `output-${name}`);
  });
});

test("another theme colours what is there already", async () => {
  await openOutput(TASK.echo);
  const green = page.locator(".terminal span").filter({ hasText: "green" });
  const color = () => green.evaluate((word) => getComputedStyle(word).color);
  await page.emulateMedia({ colorScheme: "light" });
  await until(async () => (await color()) === "rgb(31, 122, 72)", "the green of the light theme");
  await page.emulateMedia({ colorScheme: "dark" });
  await until(async () => (await color()) === "rgb(87, 194, 138)", "the green of the dark theme");
  await page.emulateMedia({ colorScheme: "light" });
});

test("a line that is typed in Korean arrives, and what it says comes", async () => {
  await openOutput(TASK.echo);
  const box = page.getByPlaceholder("Type a line into the agent's input…");
  await box.fill("안녕하세요");
  await box.press("Enter");
  await page.locator(".terminal").getByText("heard: 안녕하세요").waitFor();
  expect(await box.inputValue()).toBe("");
});

test("it is read: keys scroll it, and words are selected and copied as they are", async () => {
  await openOutput(TASK.echo);
  await page.locator(".terminal").getByText("heard: 안녕하세요").click({ clickCount: 3 });
  expect(String(await page.evaluate("getSelection().toString()")).trim()).toBe("heard: 안녕하세요");
});

test("who reads further up is left there, and finds the end again", async () => {
  await openOutput(TASK.ticker);
  const box = page.getByRole("region", { name: "Output" });
  const isScrollable = () => box.evaluate((element) => element.scrollHeight > element.clientHeight * 2);
  await until(isScrollable, "more than fits");
  await box.focus();
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const top = () => box.evaluate((element) => element.scrollTop);
  const before = (await shown()).length;
  await until(async () => (await shown()).length > before + 3, "more lines");
  expect(await top()).toBe(0);
  await page.getByRole("button", { name: "To the end" }).click();
  const below = () =>
    box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  const later = (await shown()).length;
  await until(
    async () => (await shown()).length > later + 3 && (await below()) < 40,
    "the end that is followed",
  );
});

test("a server that was killed is found again, and no line is missing or doubled", async () => {
  await openOutput(TASK.ticker);
  const ticks = async () =>
    (await shown()).flatMap(
      (row) =>
        row
          .match(/^tick (\d+) of the clock$/)
          ?.slice(1)
          .map(Number) ?? [],
    );
  await until(async () => (await ticks()).length > 5, "the clock");
  await world.killServer();
  await page.locator('[data-line="away"]').waitFor();
  const before = (await ticks()).at(-1) ?? 0;
  await world.startServer();
  await page.locator('[data-line="open"]').waitFor();
  await until(async () => ((await ticks()).at(-1) ?? 0) > before + 5, "what was said meanwhile");
  const all = await ticks();
  expect(all).toEqual(all.map((_, n) => (all[0] ?? 0) + n));
  expect(all[0]).toBe(1);
});

test("of a session that is over all is there, and that it is over", async () => {
  await until(
    async () => (await world.rows("task")).find(({ id }) => id === TASK.printer)?.state === "done",
    "its end",
  );
  await openOutput(TASK.printer);
  await page.getByText("The process has ended.").waitFor();
  const printed = (await shown()).filter((row) => row.endsWith("of the print"));
  expect(printed).toEqual(Array.from({ length: 3000 }, (_, n) => `line ${n + 1} of the print`));
  expect(await page.getByPlaceholder("Type a line into the agent's input…").count()).toBe(0);
});

test("what is said in a protocol is a line each, which unfolds", async () => {
  await openOutput(TASK.speaker);
  await page.getByText("And here it ends.").last().waitFor();
  await page.getByText("Bash: echo done").first().waitFor();
  const line = page.getByRole("button", { name: /assistant And here it ends/ }).first();
  expect(await line.getAttribute("aria-expanded")).toBe("false");
  await line.click();
  await page.locator("li pre").getByText('"type": "assistant"').waitFor();
  await picture(page, "output-unfolded");
  expect(await page.getByPlaceholder("Type a line into the agent's input…").count()).toBe(0);
  const box = page.getByPlaceholder("Say something to the agent…");
  await box.fill("mind the tabs");
  await box.press("Enter");
  await page.getByText("The agent hears it when its turn is over.").waitFor();
  expect(await box.inputValue()).toBe("");
  const told = (await world.rows("timeline")).filter(({ kind }) => kind === "TaskMessageSent");
  expect(told.map(({ task, text }) => [task, text])).toEqual([
    [TASK.speaker, `to ${TASK.speaker}: mind the tabs`],
  ]);
});

test("earlier lines come as one scrolls up, and however many there are, few are drawn", async () => {
  await openOutput(TASK.speaker);
  await page.getByText("And here it ends.").last().waitFor();
  const lines = page.getByRole("region", { name: "What it was told and said" });
  let drawn = 0;
  await until(async () => {
    drawn = Math.max(drawn, await page.locator("[data-way]").count());
    await lines.evaluate((box) => {
      box.scrollTop = 0;
    });
    return page.getByText("This is how it began.").first().isVisible();
  }, "the beginning");
  expect(drawn).toBeLessThan(150);
  await page.locator('[data-way="input"]').first().waitFor();
  // What was let go at the end comes back.
  await until(async () => {
    await lines.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    return page.getByText("And here it ends.").last().isVisible();
  }, "the end again");
});

test("on a phone and in Korean nothing sticks out", async () => {
  const phone = await visit({ viewport: { width: 390, height: 844 }, locale: "ko" });
  const small = watch(await phone.newPage());
  for (const [name, task, there] of [
    ["screen", TASK.painter, ".terminal .row"],
    ["colours", TASK.echo, ".terminal .row"],
    ["protocol", TASK.speaker, "[data-way]"],
  ] as const) {
    await openOutput(task, small);
    await small.locator(there).first().waitFor();
    expect(await small.evaluate("document.documentElement.scrollWidth > innerWidth"), name).toBe(false);
    expect(await findings(small)).toEqual([]);
    await picture(small, `phone-output-${name}`);
  }
  await phone.close();
});

test("in the team a double-click opens what each session is", async () => {
  await page.goto(at("/runs/RUN/team"));
  const session = await sessionOf(TASK.speaker);
  await page.locator(`[data-session="${session}"]`).dblclick();
  await page.getByRole("dialog").getByText("Was it good?").first().waitFor();
  expect(page.url()).toContain(`/tasks/${TASK.speaker}`);
  await page.keyboard.press("Escape");
  await until(() => page.url() === at("/runs/RUN/team"), "the team again");
  const led = (await world.rows("session")).find(({ task }) => task === null);
  if (!led) throw new Error("nobody leads");
  await page.locator(`[data-session="${led.id}"]`).dblclick();
  await page.getByRole("dialog").getByText("Jangdan plays this part itself.").waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "session-played");
  await page.keyboard.press("Escape");
  await until(() => page.url() === at("/runs/RUN/team"), "the team once more");
});

test("a session has an address of its own, with its output and what its task asks", async () => {
  await page.goto(at(`/runs/RUN/sessions/${await sessionOf(TASK.speaker)}`));
  await page.getByRole("dialog").getByText("Was it good?").first().waitFor();
  await page.getByText("And here it ends.").last().waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "session");
  await page.getByRole("button", { name: /T1\.5/ }).click();
  await until(() => page.url().includes(`/tasks/${TASK.speaker}`), "its task");
});

test("a session is stopped where it is shown, once somebody has read what that means", async () => {
  const session = await sessionOf(TASK.painter);
  const isEnded = async () =>
    (await world.rows("session")).find(({ id }) => id === session)?.endedAt !== null;
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(at(`/runs/RUN/sessions/${session}`));
  await page.locator(".terminal .row").first().waitFor();
  expect(await findings(page)).toEqual([]);
  await page.getByRole("button", { name: "Stop it" }).click();
  const sheet = page.getByRole("dialog", { name: `Stop the session ${session}?` });
  await sheet.getByText("The agent's process is ended").waitFor();
  expect(await findings(page)).toEqual([]);
  await sheet.getByRole("button", { name: "Back" }).click();
  await sheet.waitFor({ state: "detached" });
  expect(await isEnded()).toBe(false);
  await page.getByRole("button", { name: "Stop it" }).click();
  await sheet.getByRole("button", { name: "Stop it" }).click();
  await sheet.waitFor({ state: "detached" });
  await until(isEnded, "the end of the session");
  await page.getByRole("button", { name: "Stop it" }).waitFor({ state: "detached" });
  await page.emulateMedia({ colorScheme: "light" });
});

test("a run is called off on the page, and where that fails one is told and may try again", async () => {
  await page.goto(at("/runs/RUN/team"));
  await page.locator("[data-run-menu]").click();
  await page.getByRole("menuitem", { name: "Call the run off…" }).click();
  const sheet = page.getByRole("dialog", { name: "Call “A play” off?" });
  expect(await findings(page)).toEqual([]);
  await picture(page, "run-cancel");
  const status = async () => (await world.rows("run")).at(0)?.status;
  await page.route("**/wishes", (route) => route.fulfill({ status: 507, body: "no room on the disk" }));
  await sheet.getByRole("button", { name: "Call the run off" }).click();
  await sheet.getByRole("alert").getByText("no room on the disk").waitFor();
  expect(await status()).toBe("running");
  await page.unroute("**/wishes");
  await sheet.getByRole("button", { name: "Call the run off" }).click();
  await sheet.waitFor({ state: "detached" });
  await until(async () => (await status()) === "cancelled", "the run that is called off");
  await page.locator("[data-run-menu]").click();
  await page.getByRole("menuitem", { name: "Land its work…" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "Call the run off…" }).count()).toBe(0);
  await page.keyboard.press("Escape");
});

test("the browser had nothing to complain about", () => {
  expect(complaints).toEqual([]);
});
