import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRow, TaskRow } from "../src/api/generated.ts";
import { accessibilityIssuesInBothThemes, screenshot } from "./accessibility.ts";
import { type ProjectFixture, startProjectFixture, waitUntil, writerProject } from "./fixture.ts";

const FILES = writerProject(`echo "$JANGDAN_TASK" > "$JANGDAN_TASK.txt"`);

let server: ProjectFixture;
let page: Page;

const fetchRuns = () => server.get<RunRow[]>("/api/runs");
const openForm = async (page: Page, comboboxName: string) => {
  await page.goto(`${server.origin}/new`);
  await page.getByRole("combobox", { name: comboboxName, exact: true }).selectOption("TASKS.md");
  return page.locator("[data-remarks]");
};
/** Starts the run on the page, and returns its id when it has ended. */
const startAndFinish = async () => {
  await page.getByRole("button", { name: "Start run" }).click();
  await page.waitForURL(/\/runs\/r/);
  const id = page.url().match(/\/runs\/(\w+)/)?.[1];
  const isDone = async () => (await fetchRuns()).some((run) => run.id === id && run.status === "done");
  await waitUntil(isDone, "the end of the run");
  return id ?? "";
};

beforeAll(async () => {
  server = await startProjectFixture(FILES);
  page = await (await server.newContext()).newPage();
});

afterAll(async () => {
  await server?.stop();
});

test("uncommitted changes are mentioned before the start, in the language of the page", async () => {
  writeFileSync(join(server.project, "notes.txt"), "not committed\n");
  const remarks = await openForm(page, "Plan");
  await remarks.getByText("do not see your uncommitted changes in 1 file: notes.txt.").waitFor();
  expect(await remarks.textContent()).not.toContain("--");
  expect(await accessibilityIssuesInBothThemes(page)).toEqual([]);
  await screenshot(page, "start-remarks");
  const korean = await (
    await server.newContext({ locale: "ko", viewport: { width: 390, height: 844 } })
  ).newPage();
  const koreanRemarks = await openForm(korean, "계획");
  await koreanRemarks.getByText("커밋하지 않은 변경(파일 1개)을 볼 수 없습니다: notes.txt.").waitFor();
  await korean.locator("[data-remarks]").scrollIntoViewIfNeeded();
  await screenshot(korean, "start-remarks-ko-phone");
  await korean.context().close();
});

test("a run starts with the uncommitted changes if they are included", async () => {
  const remarks = await openForm(page, "Plan");
  await page.getByLabel("Include my uncommitted changes").check();
  await remarks.getByText("Your uncommitted changes are included, in 1 file: notes.txt.").waitFor();
  const run = await startAndFinish();
  expect(server.git("show", `jangdan/${run}/run:notes.txt`)).toBe("not committed\n");
  expect(server.git("status", "--porcelain")).toContain("notes.txt");
});

test("a plan whose tasks are done is refused before the start", async () => {
  await openForm(page, "Plan");
  await page.getByRole("button", { name: "Run all tasks again" }).waitFor();
  await screenshot(page, "start-plan-done");
});

test("only the tasks that are still open run, and the run that did the others is linked", async () => {
  const [before] = await fetchRuns();
  writeFileSync(join(server.project, "TASKS.md"), `${FILES["TASKS.md"]}- [ ] T1.2 Translate the greeting\n`);
  const remarks = await openForm(page, "Plan");
  await remarks.getByText("already did and that are done again: 1.").waitFor();
  expect(await remarks.getByRole("link").first().getAttribute("href")).toBe(`/runs/${before?.id}`);
  await page.getByLabel("Only what is still open").check();
  await remarks.getByText("already did and that are left out: 1.").waitFor();
  await screenshot(page, "start-open");
  const run = await startAndFinish();
  const answer = await server.get<{ rows: { task: TaskRow[] } }>(`/api/runs/${run}/rows?kind=task`);
  expect(answer.rows.task.map(({ id, attempt }) => [id, attempt])).toEqual([
    ["T1.1", 0],
    ["T1.2", 1],
  ]);
});
