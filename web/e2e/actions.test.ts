import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cast, LIKE_CLAUDE, startWorld, type World } from "./world.ts";

const plays = (steps: string, phase = 1): Cast[string] => ({
  ...LIKE_CLAUDE,
  script: `voice = "claude"\nsteps = [{ wait = "" }, ${steps}]`,
  phase,
});
const DONE = `{ say = "DONE:{task}\\n" }`;
const says = (words: string) => `{ say = ${JSON.stringify(words)} }`;
const asks = (lines: string) =>
  plays(`${says(`[ASK_USER {key}]\n${lines}\n[/ASK_USER {key}]\n`)}, { wait = "" }, ${DONE}`);
/** One who is done if it hears the right thing about what it needs. */
const needs = (lines: string, heard: string) =>
  plays(`${says(`[DEPENDENCY_REQUEST {key}]\n${lines}\n[/DEPENDENCY_REQUEST {key}]\n`)}, { wait = "" },
    { choose = [{ when = ${JSON.stringify(heard)}, steps = [${DONE}] }, { steps = [{ exit = 1 }] }] }`);
const RUNS = `{ tool = { name = "Bash", kind = "execute", input = { command = "make tea" }, asks = true } }`;
const WORKS = `{ write = { path = "notes.txt", text = "so far" } }, { hang = "listening" }`;

/** Each raises one thing that a person is needed for, or works until somebody does something about it. */
const CAST: Cast = {
  asker: plays(`{ question = { text = "Which colour?", options = ["red", "blue"] } }, ${DONE}`),
  porter: asks("question: Which port?\ndefault: 8080"),
  lifter: plays(`${RUNS}, ${RUNS}, ${DONE}`),
  taker: needs(
    "type: file\nname: recipe\ndescription: How the tea is made.\nrequired: true",
    "tea/recipe.md",
  ),
  beggar: needs("type: package\nname: samovar\ndescription: It boils water.\nrequired: true", "too dear"),
  dreamer: needs("type: service\nname: BELL_URL\ndescription: It rings.\nrequired: false", "skipped"),
  faller: plays(`{ exit = 3 }`),
  worker: plays(WORKS),
  keeper: plays(WORKS),
  leaver: plays(
    `{ write = { path = "long.txt", text = ${JSON.stringify("a line\n".repeat(500))} } }, ${WORKS}`,
  ),
  doer: plays(DONE, 2),
};
const NAMES = Object.keys(CAST);
const taskOf = (name: string) => (name === "doer" ? "T2.1" : `T1.${NAMES.indexOf(name) + 1}`);

let world: World;
let page: Page;

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;

beforeAll(async () => {
  world = await startWorld(CAST, { hasWorktrees: true, settings: { gateApproval: "person", retriesMax: 1 } });
  const context = await world.visitor();
  page = await context.newPage();
});

afterAll(async () => {
  await world?.end();
});

/** Opens a task, and returns its panel. */
async function panelOf(name: string, tab?: string): Promise<Locator> {
  await page.goto(at(`/runs/RUN/tasks/${taskOf(name)}${tab ? `?tab=${tab}` : ""}`));
  const panel = page.getByRole("dialog");
  await panel.getByText(`The part of ${name}`).first().waitFor();
  return panel;
}

/** Waits until the panel says how its task stands. */
const stands = (panel: Locator, word: string) =>
  panel.locator("header").getByText(word, { exact: true }).waitFor();
const press = (place: Locator, name: string | RegExp) =>
  place.getByRole("button", { name, exact: true }).click();
/** Says yes to what is asked once more, having said no first. */
async function confirm(open: () => Promise<void>, title: string, word: string): Promise<void> {
  const sheet = page.getByRole("dialog", { name: title });
  await open();
  await press(sheet, "Back");
  await sheet.waitFor({ state: "detached" });
  await open();
  await press(sheet, word);
  await sheet.waitFor({ state: "detached" });
}
const pick = async (panel: Locator, item: string, role: "menuitem" | "menuitemradio" = "menuitem") => {
  await panel.getByRole("button", { name: "More" }).click();
  await page.getByRole(role, { name: item }).click();
};

test("whatever a task waits for, its card says it", async () => {
  const waits: [name: string, words: string][] = [
    ["porter", "Which port?"],
    ["taker", "How the tea is made."],
    ["faller", "failed once"],
  ];
  for (const view of ["board", "canvas", "list"]) {
    await page.goto(at(`/runs/RUN/${view}`));
    for (const [name, words] of waits)
      await page
        .locator(`main [data-task="${taskOf(name)}"] [data-asks=person]`)
        .getByText(words)
        .waitFor();
  }
});

test("who asks back sees that, and the question stays open until it is answered", async () => {
  const panel = await panelOf("asker");
  await panel.locator("textarea").fill("What is it for?");
  await press(panel, "Ask back");
  await panel.getByText("You asked back: What is it for?").waitFor();
  await press(panel, /red/);
  await stands(panel, "Done");
});

test("a default is taken with one press", async () => {
  const panel = await panelOf("porter");
  await press(panel, "Take the default");
  const turn = panel.locator("[data-turn]").filter({ hasText: "8080" }).last();
  await turn.getByText("8080").waitFor();
  // It is the person's answer, whoever hands it on.
  await turn.getByText("ana", { exact: true }).waitFor();
  await stands(panel, "Done");
});

test("a permission for the task holds for the whole task", async () => {
  const panel = await panelOf("lifter");
  await panel.getByLabel("for this task").check();
  await press(panel, /Allow/);
  await stands(panel, "Done");
});

test("what is needed from outside is there, is refused, or is done without", async () => {
  let panel = await panelOf("taker");
  await panel.getByLabel("Where in the worktree is recipe?").fill("tea/recipe.md");
  await press(panel, /It is there/);
  await stands(panel, "Done");
  panel = await panelOf("beggar");
  await panel.locator("[data-answer]").fill("too dear");
  await press(panel, /Refuse/);
  await stands(panel, "Done");
  panel = await panelOf("dreamer");
  await press(panel, "Go on without it");
  await stands(panel, "Done");
});

test("a problem is settled with a hint, and when it comes again the task is left out", async () => {
  const panel = await panelOf("faller");
  await stands(panel, "Needs you");
  await panel.getByLabel("A hint for the agent, where it tries again").fill("hold on to the rail");
  await press(panel, /Try again$/);
  await panel.locator("[data-turn]").getByText("hold on to the rail").waitFor();
  await stands(panel, "Needs you");
  await confirm(() => press(panel, /Leave the task out/), `Leave ${taskOf("faller")} out?`, "Leave it out");
  await stands(panel, "Left out");
});

test("a phase is sent back from its gate, and then let pass", async () => {
  await page.goto(at("/runs/RUN/inbox"));
  const gate = page.locator("main [data-gate]");
  expect(await gate.getByRole("button", { name: "Have it done again" }).isDisabled()).toBe(true);
  await gate.locator("[data-answer]").fill("The cups are missing");
  await press(gate, "Have it done again");
  await gate.waitFor({ state: "detached" });
  await gate.waitFor();
  await press(gate, /Approve/);
  await gate.waitFor({ state: "detached" });
  const panel = await panelOf("doer");
  await panel.locator("[data-turn]").getByText("The cups are missing").first().waitFor();
});

test("a task is paused, goes on, gets urgent, is tried again with a hint, and is called off", async () => {
  const panel = await panelOf("worker");
  await press(panel, "Pause");
  await stands(panel, "Paused");
  await press(panel, "Continue");
  await stands(panel, "Running");
  await pick(panel, "High", "menuitemradio");
  await panel.getByRole("complementary").getByText("High").waitFor();
  await press(panel, "Try again…");
  const sheet = page.getByRole("dialog", { name: `Try ${taskOf("worker")} again` });
  await sheet.getByRole("textbox").fill("use the kettle");
  await press(sheet, "Try again…");
  await panel.locator("[data-turn]").getByText("use the kettle").waitFor();
  await stands(panel, "Running");
  await confirm(() => pick(panel, "Call it off…"), `Call ${taskOf("worker")} off?`, "Call it off");
  await stands(panel, "Called off");
});

test("the palette does what menus and buttons do, and asks where they ask", async () => {
  const found = page.getByRole("option");
  const type = async (words: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(words);
  };
  const choose = async (words: string) => {
    await type(words);
    await found.first().waitFor();
    expect(await found.count(), words).toBe(1);
    await page.keyboard.press("Enter");
  };
  const panel = await panelOf("keeper");
  const task = `task ${taskOf("keeper")}`;
  await stands(panel, "Running");
  await choose(`pause ${task}`);
  await stands(panel, "Paused");
  await choose(`continue ${task}`);
  await stands(panel, "Running");
  await choose(`priority low ${task}`);
  await panel.getByRole("complementary").getByText("Low").waitFor();
  const sheet = page.getByRole("dialog", { name: `Leave ${taskOf("keeper")} out?` });
  await choose(`leave it out ${task}`);
  await press(sheet, "Back");
  await sheet.waitFor({ state: "detached" });
  await stands(panel, "Running");
  // What can't be done now is not there.
  await type(`continue ${task}`);
  await page.getByText("Nothing is called that.").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });

  const run = page.locator("header").filter({ has: page.getByRole("heading", { level: 1 }) });
  await choose("pause this run");
  await run.getByText("Paused", { exact: true }).waitFor();
  await choose("continue this run");
  await run.getByText("Running", { exact: true }).waitFor();
  const off = page.getByRole("dialog", { name: "Call “A play” off?" });
  await choose("call this run off");
  await press(off, "Back");
  await off.waitFor({ state: "detached" });
  expect((await world.rows("run"))[0]?.endedAt).toBe(null);
});

test("a task goes back to a point that was kept", async () => {
  const panel = await panelOf("keeper", "attempts");
  await stands(panel, "Running");
  await pick(panel, "Keep a point to go back to");
  const point = panel.getByRole("listitem").filter({ hasText: "Asked for" });
  await point.waitFor();
  await confirm(() => press(point, "Go back here…"), `Take ${taskOf("keeper")} back?`, "Go back here");
  await panel.getByText("Attempt 2").waitFor();
});

test("a long change is folded, and drawn when somebody unfolds it", async () => {
  const panel = await panelOf("leaver", "changes");
  const file = (name: string) => panel.locator("details").filter({ hasText: name });
  await file("notes.txt").getByText("so far").waitFor();
  expect(await file("long.txt").locator("pre").count()).toBe(0);
  await file("long.txt").locator("summary").click();
  await file("long.txt").locator("pre > div").nth(499).waitFor();
});

test("a task is left out", async () => {
  const panel = await panelOf("leaver");
  await confirm(() => pick(panel, "Leave it out…"), `Leave ${taskOf("leaver")} out?`, "Leave it out");
  await stands(panel, "Left out");
});
