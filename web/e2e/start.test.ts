import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { QuestionRow, RunRow } from "../src/api/generated.ts";
import { findings, picture } from "./looks.ts";
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
