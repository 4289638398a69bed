import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { QuestionRow, RunRow } from "../src/api/generated.ts";
import { findings, findingsInBoth, picture } from "./looks.ts";
import { type Place, startProject, until } from "./world.ts";

/** Asks which colour, then is done. */
const PAINTER = `read task
printf '[ASK_USER %s]\\nquestion: Which colour?\\ntype: selection\\noptions: ["red", "blue"]\\n[/ASK_USER %s]\\n' "$JANGDAN_KEY" "$JANGDAN_KEY"
read answer
echo "DONE:$JANGDAN_TASK $JANGDAN_KEY"
read end
`;
const PLAN = "# Walls\n\n## Phase 1: Paint\n\n- [ ] T1.1 Paint the wall\n";
const CONFIG = `[team]
worker = "painter"

[agents.painter]
title = "A painter"
extends = "shell"
arguments = ["painter.sh"]

[orchestration]
gate_approval = "automatic"
`;

let place: Place;
let page: Page;
const runs = () => place.ask<RunRow[]>("/api/runs");

beforeAll(async () => {
  place = await startProject({ "TASKS.md": PLAN, "jangdan.toml": CONFIG, "painter.sh": PAINTER });
  page = await (await place.visitor()).newPage();
});

afterAll(async () => {
  await place?.end();
});

test("where there is no run, and where there is nothing, everybody finds the way", async () => {
  for (const locale of ["en", "ko"]) {
    const context = await place.visitor({ locale });
    const tab = await context.newPage();
    await tab.goto(`${place.origin}/`);
    await tab.getByText("jangdan run TASKS.md").waitFor();
    expect(await findingsInBoth(tab), `the empty home in ${locale}`).toEqual([]);
    await picture(tab, `home-empty-${locale}`);
    await tab.goto(`${place.origin}/no/such/place`);
    const back = tab.getByRole("link", { name: locale === "ko" ? "실행 목록으로" : "To the runs" });
    await back.waitFor();
    expect(await findingsInBoth(tab), `a place that is not there in ${locale}`).toEqual([]);
    await picture(tab, `not-found-${locale}`);
    await tab.goto(`${place.origin}/runs/r0000`);
    await tab.getByRole("alert").or(back).first().waitFor();
    expect(await findingsInBoth(tab), `a run that is not there in ${locale}`).toEqual([]);
    await picture(tab, `no-such-run-${locale}`);
    await context.close();
  }
});

test("a plan of the project is picked, and a mistake that is typed into it hinders the start", async () => {
  await page.goto(`${place.origin}/new`);
  await page.getByRole("combobox", { name: "Plan", exact: true }).selectOption("TASKS.md");
  const text = page.getByLabel("Text of the plan");
  await until(async () => (await text.inputValue()) === PLAN, "the text of the plan");
  const start = page.getByRole("button", { name: "Start the run" });
  await start.waitFor();
  await text.fill(PLAN.replace("the wall", "the wall (depends on T9.9)"));
  await page.getByRole("button", { name: /T9\.9/ }).first().waitFor();
  await start.waitFor({ state: "detached" });
  expect(await runs()).toEqual([]);
});

test("started on the page, the run goes on as any other", async () => {
  await page.goto(`${place.origin}/new`);
  await page.getByRole("combobox", { name: "Plan", exact: true }).selectOption("TASKS.md");
  const start = page.getByRole("button", { name: "Start the run" });
  await start.waitFor();
  expect(await findings(page)).toEqual([]);
  await picture(page, "new-start");
  await start.click();
  await page.waitForURL(/\/runs\/r/);
  const run = await until(async () => (await runs()).at(0), "the run");
  expect(page.url()).toContain(run.id);
  expect([run.title, run.nTasks]).toEqual(["Walls", 1]);
  await page.goto(`${place.origin}/runs/${run.id}/inbox`);
  await page.getByText("Which colour?").first().waitFor();
  await page.getByRole("button", { name: /blue/ }).first().click();
  const questions = () =>
    place.ask<{ rows: { question: QuestionRow[] } }>(`/api/runs/${run.id}/rows?kind=question`);
  const answered = await until(
    async () => (await questions()).rows.question.find(({ answer }) => answer),
    "the answer",
  );
  expect([answered.answer, answered.answeredBy]).toEqual(["blue", "person:ana"]);
  await until(async () => (await runs()).at(0)?.status === "done", "the end of the run");
  expect(place.command(["runs"])).toContain(run.id);
});

test("the work of a run is landed on the page, and its worktrees are removed", async () => {
  const run = (await runs()).at(0)?.id;
  await page.goto(`${place.origin}/runs/${run}/list`);
  const open = async (name: string) => {
    await page.locator("[data-run-menu]").click();
    await page.getByRole("menuitem", { name: `${name}…` }).click();
    return page.getByRole("dialog");
  };
  const land = await open("Land its work");
  await land.getByText("Nothing is overwritten").waitFor();
  expect(await findings(page)).toEqual([]);
  await land.getByRole("button", { name: "Land its work" }).click();
  await page
    .getByRole("status")
    .getByText(/^main has /)
    .waitFor();
  await land.waitFor({ state: "detached" });
  const clean = await open("Remove its worktrees");
  await clean.getByRole("button", { name: "Remove its worktrees" }).click();
  await page
    .getByRole("status")
    .getByText(/worktrees? (is|are) removed/)
    .waitFor();
});

const BROKEN = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({ code: "broken", title: "Something broke", detail: "the disk is on fire", hint: "" }),
};

test("lists that can't be had are said so, each with a way to try again", async () => {
  const lists: [path: string, what: string][] = [
    ["**/api/projects", "The projects can't be listed."],
    ["**/api/plans?*", "The plans of the project can't be listed."],
    ["**/api/agents*", "The agents can't be listed."],
  ];
  for (const [path, what] of lists) {
    await page.route(path, (route) => route.fulfill(BROKEN));
    await page.goto(`${place.origin}/new`);
    await page.getByLabel("Text of the plan").fill(PLAN);
    const line = page.getByRole("alert").filter({ hasText: what });
    await line.getByText("the disk is on fire").waitFor();
    expect(await page.getByText("No project is known yet").count()).toBe(0);
    expect(await findings(page)).toEqual([]);
    await page.unroute(path);
    await line.getByRole("button", { name: "Try again" }).click();
    await line.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Start the run" }).waitFor();
  }
});

test("a file that is too large for a plan is refused with a word", async () => {
  await page.goto(`${place.origin}/new`);
  const large = { name: "large.md", mimeType: "text/markdown", buffer: Buffer.alloc((1 << 20) + 1, "x") };
  await page.locator("input[type=file]").setInputFiles(large);
  await page.getByRole("alert").getByText("large.md has more than 1 MiB.").waitFor();
  await page.locator("input[type=file]").setInputFiles({ ...large, buffer: Buffer.from(PLAN) });
  await until(async () => (await page.getByLabel("Text of the plan").inputValue()) === PLAN, "the text");
});

test("a plan that is picked never takes the place of what was written without a word", async () => {
  await page.goto(`${place.origin}/new`);
  const text = page.getByLabel("Text of the plan");
  const plans = page.getByRole("combobox", { name: "Plan", exact: true });
  await plans.selectOption("TASKS.md");
  await until(async () => (await text.inputValue()) !== "", "the text of the plan");
  const read = await text.inputValue();
  // The text of a file can be made one's own.
  await plans.selectOption("The text below");
  await until(async () => (await plans.inputValue()) === "", "a text of one's own");
  expect(await text.inputValue()).toBe(read);
  await text.fill("# Mine");
  const sheet = page.getByRole("dialog", { name: "Replace what you have written?" });
  await plans.selectOption("TASKS.md");
  await sheet.getByRole("button", { name: "Back" }).click();
  expect([await text.inputValue(), await plans.inputValue()]).toEqual(["# Mine", ""]);
  await plans.selectOption("TASKS.md");
  await sheet.getByRole("button", { name: "Replace it" }).click();
  await until(async () => (await text.inputValue()) === read, "the text of the plan");
});

test.each([
  ["attempts", "attempt", /Attempt 1/],
  ["checks", "receipt", /Nothing was checked yet/],
])("the tab %s does not load for ever where its rows can't be had", async (tab, kind, there) => {
  const run = (await runs()).at(0)?.id;
  const path = new RegExp(`/rows\\?.*kind=${kind}\\b`);
  await page.route(path, (route) => route.fulfill(BROKEN));
  await page.goto(`${place.origin}/runs/${run}/tasks/T1.1?tab=${tab}`);
  const panel = page.getByRole("tabpanel");
  await panel.getByText("the disk is on fire").waitFor();
  await page.unroute(path);
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByText(there).first().waitFor();
});

test("the canvas comes when its rows can be had again", async () => {
  const run = (await runs()).at(0)?.id;
  const path = /\/rows\?.*kind=phase\b/;
  await page.goto(`${place.origin}/runs/${run}/inbox`);
  await page.locator("main").getByText("Nothing waits for you").waitFor();
  await page.route(path, (route) => route.fulfill(BROKEN));
  await page.locator('[data-view="canvas"]').click();
  await page.locator("main").getByText("the disk is on fire").waitFor();
  await page.unroute(path);
  await page.locator("main").getByRole("button", { name: "Try again" }).click();
  await page.locator("main [data-task]").first().waitFor();
});

test("a server that has no room for one more is not taken for one that is away", async () => {
  const full = {
    code: "too-many-subscribers",
    title: "Too many listen",
    detail: "too many follow the runs already",
  };
  const alone = await place.visitor();
  const late = await alone.newPage();
  // Requests of a shared worker cannot be answered here, those of a tab can.
  await late.addInitScript("delete globalThis.SharedWorker");
  await late.route("**/api/live*", (route) =>
    route.fulfill({ ...BROKEN, status: 503, body: JSON.stringify({ ...full, hint: "close a tab" }) }),
  );
  await late.goto(`${place.origin}/`);
  const said = late.getByRole("alert");
  await said.getByText("Too many pages are open").waitFor();
  await said.getByText("close a tab").waitFor();
  expect(await late.getByText("The server does not answer.").count()).toBe(0);
  await late.unroute("**/api/live*");
  await said.getByRole("button", { name: "Try again" }).click();
  await said.waitFor({ state: "detached" });
  await alone.close();
});
