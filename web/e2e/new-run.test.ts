import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { QuestionRow, RunRow } from "../src/api/generated.ts";
import { accessibilityIssues, accessibilityIssuesInBothThemes, screenshot } from "./accessibility.ts";
import { type ServerFixture, startProjectFixture, waitUntil } from "./fixture.ts";

/** An agent that asks a question, then is done. */
const PAINTER = `read task
printf '[ASK_USER %s]\\nquestion: Which colour?\\ntype: selection\\noptions: ["red", "blue"]\\n[/ASK_USER %s]\\n' "$JANGDAN_KEY" "$JANGDAN_KEY"
read answer
echo "DONE:$JANGDAN_TASK:it is there $JANGDAN_KEY"
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

let server: ServerFixture;
let page: Page;
const fetchRuns = () => server.get<RunRow[]>("/api/runs");

beforeAll(async () => {
  server = await startProjectFixture({ "TASKS.md": PLAN, "jangdan.toml": CONFIG, "painter.sh": PAINTER });
  page = await (await server.newContext()).newPage();
});

afterAll(async () => {
  await server?.stop();
});

test("the empty start page, an unknown address and an unknown run show what to do", async () => {
  for (const locale of ["en", "ko"]) {
    const context = await server.newContext({ locale });
    const tab = await context.newPage();
    await tab.goto(`${server.origin}/`);
    await tab.getByText("jangdan run TASKS.md").waitFor();
    await tab
      .getByText(locale === "ko" ? "이 폴더에서 찾은 계획: TASKS.md" : "TASKS.md was found here")
      .waitFor();
    await tab.locator("[data-first-open] li").filter({ hasText: "A painter" }).waitFor();
    expect(await accessibilityIssuesInBothThemes(tab), `the empty start page in ${locale}`).toEqual([]);
    await screenshot(tab, `home-empty-${locale}`);
    await tab.goto(`${server.origin}/no/such/place`);
    const back = tab.getByRole("link", { name: locale === "ko" ? "실행 목록으로 이동" : "Go to runs" });
    await back.waitFor();
    expect(await accessibilityIssuesInBothThemes(tab), `an unknown address in ${locale}`).toEqual([]);
    await screenshot(tab, `not-found-${locale}`);
    await tab.goto(`${server.origin}/runs/r0000`);
    await tab.getByRole("alert").or(back).first().waitFor();
    expect(await accessibilityIssuesInBothThemes(tab), `an unknown run in ${locale}`).toEqual([]);
    await screenshot(tab, `no-such-run-${locale}`);
    await context.close();
  }
});

test("a plan of the project is picked, and an error in it prevents the start", async () => {
  await page.goto(`${server.origin}/new`);
  await page.getByRole("combobox", { name: "Plan", exact: true }).selectOption("TASKS.md");
  const text = page.getByLabel("Plan text");
  await waitUntil(async () => (await text.inputValue()) === PLAN, "the text of the plan");
  const start = page.getByRole("button", { name: "Start run" });
  await start.waitFor();
  await text.fill(PLAN.replace("the wall", "the wall (depends on T9.9)"));
  await page.getByRole("button", { name: /T9\.9/ }).first().waitFor();
  await start.waitFor({ state: "detached" });
  expect(await fetchRuns()).toEqual([]);
});

test("a run is started on the page and completes", async () => {
  await page.goto(`${server.origin}/new`);
  await page.getByRole("combobox", { name: "Plan", exact: true }).selectOption("TASKS.md");
  const start = page.getByRole("button", { name: "Start run" });
  await start.waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await screenshot(page, "new-start");
  await start.click();
  await page.waitForURL(/\/runs\/r/);
  const run = await waitUntil(async () => (await fetchRuns()).at(0), "the run");
  expect(page.url()).toContain(run.id);
  expect([run.title, run.nTasks]).toEqual(["Walls", 1]);
  await page.goto(`${server.origin}/runs/${run.id}/needs-you`);
  await page.getByText("Which colour?").first().waitFor();
  await page.getByRole("button", { name: /blue/ }).first().click();
  const questions = () =>
    server.get<{ rows: { question: QuestionRow[] } }>(`/api/runs/${run.id}/rows?kind=question`);
  const answered = await waitUntil(
    async () => (await questions()).rows.question.find(({ answer }) => answer),
    "the answer",
  );
  expect([answered.answer, answered.answeredBy]).toEqual(["blue", "person:ana"]);
  await waitUntil(async () => (await fetchRuns()).at(0)?.status === "done", "the end of the run");
  expect(server.runCommand(["runs"])).toContain(run.id);
});

test("the results of a run are merged on the page, and its worktrees are deleted", async () => {
  const run = (await fetchRuns()).at(0)?.id;
  await page.goto(`${server.origin}/runs/${run}/work?view=list`);
  const open = async (name: string) => {
    await page.locator("[data-run-menu]").click();
    await page.getByRole("menuitem", { name: `${name}…` }).click();
    return page.getByRole("dialog");
  };
  const merge = await open("Merge results");
  await merge.getByText("Uncommitted changes in other files stay as they are").waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await merge.getByRole("button", { name: "Merge results" }).click();
  await page
    .getByRole("status")
    .getByText(/^(Merged \d+ commits? into main \(fast-forward\)|main is already up to date)\.$/)
    .waitFor();
  await merge.waitFor({ state: "detached" });
  const clean = await open("Delete finished worktrees");
  await clean.getByRole("button", { name: "Delete finished worktrees" }).click();
  await clean.getByText(/^Deleted \d+ worktrees?\.$/).waitFor();
});

const BROKEN = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({
    code: "internal-error",
    title: "Internal error",
    detail: "the disk is on fire",
    hint: "",
  }),
};

test("a list that could not be loaded shows an error with a button to retry", async () => {
  const lists: [path: string, what: string][] = [
    ["**/api/projects", "Could not list the projects."],
    ["**/api/plans?*", "Could not list the plans of the project."],
    ["**/api/agents*", "Could not list the agents."],
  ];
  for (const [path, what] of lists) {
    await page.route(path, (route) => route.fulfill(BROKEN));
    await page.goto(`${server.origin}/new`);
    await page.getByLabel("Plan text").fill(PLAN);
    const line = page.getByRole("alert").filter({ hasText: what });
    await line.getByText("the disk is on fire").waitFor();
    expect(await page.getByText("No project is known yet").count()).toBe(0);
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.unroute(path);
    await line.getByRole("button", { name: "Try again" }).click();
    await line.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Start run" }).waitFor();
  }
});

test("a file that is too large for a plan is rejected with a message", async () => {
  await page.goto(`${server.origin}/new`);
  const large = { name: "large.md", mimeType: "text/markdown", buffer: Buffer.alloc((1 << 20) + 1, "x") };
  await page.locator("input[type=file]").setInputFiles(large);
  await page.getByRole("alert").getByText("large.md is larger than 1 MiB.").waitFor();
  await page.locator("input[type=file]").setInputFiles({ ...large, buffer: Buffer.from(PLAN) });
  await waitUntil(async () => (await page.getByLabel("Plan text").inputValue()) === PLAN, "the text");
});

test("edited text is replaced by another plan only after a confirmation", async () => {
  await page.goto(`${server.origin}/new`);
  const text = page.getByLabel("Plan text");
  const plans = page.getByRole("combobox", { name: "Plan", exact: true });
  await plans.selectOption("TASKS.md");
  await waitUntil(async () => (await text.inputValue()) !== "", "the text of the plan");
  const read = await text.inputValue();
  // The text of a file stays when the file is deselected.
  await plans.selectOption("Write or paste");
  await waitUntil(async () => (await plans.inputValue()) === "", "no file to be selected");
  expect(await text.inputValue()).toBe(read);
  await text.fill("# Mine");
  const sheet = page.getByRole("dialog", { name: "Replace your text?" });
  await plans.selectOption("TASKS.md");
  await sheet.getByRole("button", { name: "Back" }).click();
  expect([await text.inputValue(), await plans.inputValue()]).toEqual(["# Mine", ""]);
  await plans.selectOption("TASKS.md");
  await sheet.getByRole("button", { name: "Replace" }).click();
  await waitUntil(async () => (await text.inputValue()) === read, "the text of the plan");
});

test.each([
  ["attempts", "attempt", /Attempt 1/],
  ["checks", "receipt", /No checks yet/],
])("the tab %s shows an error if its rows could not be loaded", async (tab, kind, content) => {
  const run = (await fetchRuns()).at(0)?.id;
  const path = new RegExp(`/rows\\?.*kind=${kind}\\b`);
  await page.route(path, (route) => route.fulfill(BROKEN));
  await page.goto(`${server.origin}/runs/${run}/tasks/T1.1?tab=${tab}`);
  const panel = page.getByRole("tabpanel");
  await panel.getByText("the disk is on fire").waitFor();
  await page.unroute(path);
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByText(content).first().waitFor();
});

test("the canvas loads its rows again on retry", async () => {
  const run = (await fetchRuns()).at(0)?.id;
  const path = /\/rows\?.*kind=phase\b/;
  await page.goto(`${server.origin}/runs/${run}/needs-you`);
  await page.locator("main").getByText("Nothing needs you.").waitFor();
  await page.route(path, (route) => route.fulfill(BROKEN));
  await page.locator('[data-place="work"]').click();
  await page.locator('[data-view="graph"]').click();
  await page.locator("main").getByText("the disk is on fire").waitFor();
  await page.unroute(path);
  await page.locator("main").getByRole("button", { name: "Try again" }).click();
  await page.locator("main [data-task]").first().waitFor();
});

test("a server that rejects the stream is not shown as offline", async () => {
  const full = {
    code: "too-many-subscribers",
    title: "Too many listen",
    detail: "too many follow the runs already",
  };
  const alone = await server.newContext();
  const late = await alone.newPage();
  // Requests of a shared worker cannot be answered here, those of a tab can.
  await late.addInitScript("delete globalThis.SharedWorker");
  await late.route("**/api/live*", (route) =>
    route.fulfill({ ...BROKEN, status: 503, body: JSON.stringify({ ...full, hint: "close a tab" }) }),
  );
  await late.goto(`${server.origin}/`);
  const alert = late.getByRole("alert");
  await alert.getByText("Too many pages are open").waitFor();
  await alert.getByText("close a tab").waitFor();
  expect(await late.getByText("Offline since").count()).toBe(0);
  // While the server still rejects: once it accepts, the page reconnects by itself, and the button is gone.
  const retried = late.waitForRequest("**/api/live*");
  await alert.getByRole("button", { name: "Try again" }).click();
  await retried;
  await late.unroute("**/api/live*");
  await alert.waitFor({ state: "detached" });
  await alone.close();
});
