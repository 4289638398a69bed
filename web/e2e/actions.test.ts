import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentScripts, CLAUDE_AGENT, type RunFixture, startRunFixture } from "./fixture.ts";

const scriptedAgent = (steps: string, phase = 1): AgentScripts[string] => ({
  ...CLAUDE_AGENT,
  script: `voice = "claude"\nsteps = [{ wait = "" }, ${steps}]`,
  phase,
});
const DONE = `{ say = "DONE:{task}:it is there\\n" }`;
const sayStep = (words: string) => `{ say = ${JSON.stringify(words)} }`;
const agentThatAsks = (lines: string) =>
  scriptedAgent(`${sayStep(`[ASK_USER {key}]\n${lines}\n[/ASK_USER {key}]\n`)}, { wait = "" }, ${DONE}`);
/** An agent that makes a request, and succeeds only if the answer contains `expected`. */
const agentThatRequests = (lines: string, expected: string) =>
  scriptedAgent(`${sayStep(`[DEPENDENCY_REQUEST {key}]\n${lines}\n[/DEPENDENCY_REQUEST {key}]\n`)}, { wait = "" },
    { choose = [{ when = ${JSON.stringify(expected)}, steps = [${DONE}] }, { steps = [{ exit = 1 }] }] }`);
const RUNS = `{ tool = { name = "Bash", kind = "execute", input = { command = "make tea" }, asks = true } }`;
const WORKS = `{ write = { path = "notes.txt", text = "so far" } }, { hang = "listening" }`;

/** Each agent needs a person for one thing, or works until the test acts on its task. */
const AGENTS: AgentScripts = {
  asker: scriptedAgent(`{ question = { text = "Which colour?", options = ["red", "blue"] } }, ${DONE}`),
  porter: agentThatAsks("question: Which port?\ndefault: 8080"),
  lifter: scriptedAgent(`${RUNS}, ${RUNS}, ${DONE}`),
  taker: agentThatRequests(
    "type: file\nname: recipe\ndescription: How the tea is made.\nrequired: true",
    "The file is at recipe",
  ),
  beggar: agentThatRequests(
    "type: package\nname: samovar\ndescription: It boils water.\nrequired: true",
    "too dear",
  ),
  dreamer: agentThatRequests(
    "type: service\nname: BELL_URL\ndescription: It rings.\nrequired: false",
    "skipped",
  ),
  faller: scriptedAgent(`{ exit = 3 }`),
  worker: scriptedAgent(WORKS),
  keeper: scriptedAgent(WORKS),
  leaver: scriptedAgent(
    `{ write = { path = "long.txt", text = ${JSON.stringify("a line\n".repeat(500))} } }, ${WORKS}`,
  ),
  doer: scriptedAgent(DONE, 2),
};
const NAMES = Object.keys(AGENTS);
const taskIdOfAgent = (name: string) => (name === "doer" ? "T2.1" : `T1.${NAMES.indexOf(name) + 1}`);

let fixture: RunFixture;
let page: Page;

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS, {
    hasWorktrees: true,
    settings: { gateApproval: "person", retriesMax: 1 },
  });
  const context = await fixture.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

/** Opens a task and returns its panel. */
async function openTaskPanel(name: string, tab?: string): Promise<Locator> {
  await page.goto(pageUrl(`/runs/RUN/tasks/${taskIdOfAgent(name)}${tab ? `?tab=${tab}` : ""}`));
  const panel = page.getByRole("dialog");
  await panel.getByText(`Task of ${name}`).first().waitFor();
  return panel;
}

/** Waits until the panel shows this state. */
const waitForState = (panel: Locator, state: string) =>
  panel.locator("header").getByText(state, { exact: true }).waitFor();
const pressButton = (container: Locator, name: string | RegExp) =>
  container.getByRole("button", { name, exact: true }).click();
/** Opens a confirmation, goes back, opens it again and confirms. */
async function dismissThenConfirm(
  open: () => Promise<void>,
  title: string | RegExp,
  label: string,
): Promise<void> {
  const sheet = page.getByRole("dialog", { name: title });
  await open();
  await pressButton(sheet, "Back");
  await sheet.waitFor({ state: "detached" });
  await open();
  await pressButton(sheet, label);
  await sheet.waitFor({ state: "detached" });
}
const pickMenuAction = async (
  panel: Locator,
  item: string,
  role: "menuitem" | "menuitemradio" = "menuitem",
) => {
  await panel.getByRole("button", { name: "More actions" }).click();
  await page.getByRole(role, { name: item }).click();
};

test("a card shows what its task waits for", async () => {
  const expected: [name: string, text: string][] = [
    ["porter", "Which port?"],
    ["taker", "How the tea is made."],
    ["faller", "failed once"],
  ];
  for (const view of ["board", "canvas", "list"]) {
    await page.goto(pageUrl(`/runs/RUN/${view}`));
    for (const [name, text] of expected)
      await page
        .locator(`main [data-task="${taskIdOfAgent(name)}"] [data-asks=person]`)
        .getByText(text)
        .waitFor();
  }
});

test("a reply with a question is shown, and the question stays open until it is answered", async () => {
  const panel = await openTaskPanel("asker");
  await panel.locator("textarea").fill("What is it for?");
  await pressButton(panel, "Reply with a question");
  await panel.getByText("You asked: What is it for?").waitFor();
  await pressButton(panel, /red/);
  await waitForState(panel, "Done");
});

test("a default is used with one press", async () => {
  const panel = await openTaskPanel("porter");
  await pressButton(panel, "Use “8080”");
  const turn = panel.locator("[data-turn]").filter({ hasText: "8080" }).last();
  await turn.getByText("8080").waitFor();
  // The answer is attributed to the person, although the orchestrator forwards it.
  await turn.getByText("ana", { exact: true }).waitFor();
  await waitForState(panel, "Done");
});

test("a permission for the task applies to the whole task", async () => {
  const panel = await openTaskPanel("lifter");
  await panel.getByLabel("for this task").check();
  await pressButton(panel, "Allow");
  await waitForState(panel, "Done");
});

test("a request is provided, refused or skipped", async () => {
  let panel = await openTaskPanel("taker");
  await panel.getByLabel("Path of your file for recipe; it is copied into the worktree").fill("/etc/passwd");
  await pressButton(panel, /^1?Provide/);
  await waitForState(panel, "Done");
  panel = await openTaskPanel("beggar");
  await dismissThenConfirm(
    async () => {
      await pressButton(panel, /Refuse…/);
      await page
        .getByRole("dialog", { name: /^Refuse “/ })
        .getByRole("textbox")
        .fill("too dear");
    },
    /^Refuse “/,
    "Refuse",
  );
  await waitForState(panel, "Done");
  panel = await openTaskPanel("dreamer");
  await pressButton(panel, "Continue without it");
  await waitForState(panel, "Done");
});

test("a problem is resolved with a hint, and when it recurs the task is skipped", async () => {
  const panel = await openTaskPanel("faller");
  await waitForState(panel, "Problem");
  await panel.getByLabel("Hint for the retry (optional)").fill("hold on to the rail");
  await pressButton(panel, /^1?\s*Retry$/);
  await panel.locator("[data-turn]").getByText("hold on to the rail").waitFor();
  await waitForState(panel, "Problem");
  await dismissThenConfirm(
    () => pressButton(panel, /Skip task/),
    `Skip ${taskIdOfAgent("faller")}?`,
    "Skip task",
  );
  await waitForState(panel, "Skipped");
});

test("changes are requested at a gate, and then it is approved", async () => {
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  const gate = page.locator("main [data-gate]");
  expect(await gate.getByRole("button", { name: "Request changes" }).isDisabled()).toBe(true);
  await gate.locator("[data-answer]").fill("The cups are missing");
  await pressButton(gate, "Request changes");
  await gate.waitFor({ state: "detached" });
  await gate.waitFor();
  await pressButton(gate, /Approve/);
  await gate.waitFor({ state: "detached" });
  const panel = await openTaskPanel("doer");
  await panel.locator("[data-turn]").getByText("The cups are missing").first().waitFor();
});

test("a task is paused, continued, prioritized, restarted with a hint, and cancelled", async () => {
  const panel = await openTaskPanel("worker");
  await pressButton(panel, "Pause");
  await waitForState(panel, "Paused");
  await pressButton(panel, "Continue");
  await waitForState(panel, "Running");
  await pickMenuAction(panel, "High", "menuitemradio");
  await panel.getByRole("complementary").getByText("High").waitFor();
  await pressButton(panel, "Restart…");
  const sheet = page.getByRole("dialog", { name: `Restart ${taskIdOfAgent("worker")}` });
  await sheet.getByRole("textbox").fill("use the kettle");
  await pressButton(sheet, "Restart");
  await panel.locator("[data-turn]").getByText("use the kettle").waitFor();
  await waitForState(panel, "Running");
  await dismissThenConfirm(
    () => pickMenuAction(panel, "Cancel task…"),
    `Cancel ${taskIdOfAgent("worker")}?`,
    "Cancel task",
  );
  await waitForState(panel, "Cancelled");
});

test("the palette offers the actions of menus and buttons, with the same confirmations", async () => {
  const found = page.getByRole("option");
  const type = async (text: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(text);
  };
  const choose = async (text: string) => {
    await type(text);
    await found.first().waitFor();
    expect(await found.count(), text).toBe(1);
    await page.keyboard.press("Enter");
  };
  const panel = await openTaskPanel("keeper");
  const task = `task ${taskIdOfAgent("keeper")}`;
  await waitForState(panel, "Running");
  await choose(`pause ${task}`);
  await waitForState(panel, "Paused");
  await choose(`continue ${task}`);
  await waitForState(panel, "Running");
  await choose(`priority low ${task}`);
  await panel.getByRole("complementary").getByText("Low").waitFor();
  const sheet = page.getByRole("dialog", { name: `Skip ${taskIdOfAgent("keeper")}?` });
  await choose(`skip ${task}`);
  await pressButton(sheet, "Back");
  await sheet.waitFor({ state: "detached" });
  await waitForState(panel, "Running");
  // Unavailable actions are not listed.
  await type(`continue ${task}`);
  await page.getByText("No results.").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });

  const run = page.locator("header").filter({ has: page.getByRole("heading", { level: 1 }) });
  await choose("pause this run");
  await run.getByText("Paused", { exact: true }).waitFor();
  await choose("continue this run");
  // The state, which is before the number of running tasks.
  await run.getByText("Running", { exact: true }).nth(1).waitFor();
  const confirmation = page.getByRole("dialog", { name: "Cancel “Example run”?" });
  await choose("cancel this run");
  await pressButton(confirmation, "Back");
  await confirmation.waitFor({ state: "detached" });
  expect((await fixture.rows("run"))[0]?.endedAt).toBe(null);
});

test("a checkpoint is created and restored", async () => {
  const panel = await openTaskPanel("keeper", "attempts");
  await waitForState(panel, "Running");
  await pickMenuAction(panel, "Create checkpoint");
  const checkpoint = panel.getByRole("listitem").filter({ hasText: "On request" });
  await checkpoint.waitFor();
  await dismissThenConfirm(
    () => pressButton(checkpoint, "Restore this checkpoint…"),
    `Restore a checkpoint of ${taskIdOfAgent("keeper")}?`,
    "Restore this checkpoint",
  );
  await panel.getByText("Attempt 2").waitFor();
});

test("a long diff is folded, and rendered when it is unfolded", async () => {
  const panel = await openTaskPanel("leaver", "changes");
  const file = (name: string) => panel.locator("details").filter({ hasText: name });
  await file("notes.txt").getByText("so far").waitFor();
  expect(await file("long.txt").locator("pre").count()).toBe(0);
  await file("long.txt").locator("summary").click();
  await file("long.txt").locator("pre > div").nth(499).waitFor();
});

test("a task is skipped", async () => {
  const panel = await openTaskPanel("leaver");
  await dismissThenConfirm(
    () => pickMenuAction(panel, "Skip task…"),
    `Skip ${taskIdOfAgent("leaver")}?`,
    "Skip task",
  );
  await waitForState(panel, "Skipped");
});
