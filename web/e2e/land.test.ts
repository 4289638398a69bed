import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRow } from "../src/api/generated.ts";
import { accessibilityIssuesInBothThemes, screenshot } from "./accessibility.ts";
import { type ProjectFixture, startProjectFixture, waitUntil, writerProject } from "./fixture.ts";

let server: ProjectFixture;
let page: Page;
let run: string;

const commitGreeting = (text: string) => {
  writeFileSync(join(server.project, "greeting.txt"), text);
  server.git("add", "greeting.txt");
  server.git("commit", "--message", "Write a greeting");
};
const openSheet = async (name: string) => {
  await page.goto(`${server.origin}/runs/${run}/work?view=list`);
  await page.locator("[data-run-menu]").click();
  await page.getByRole("menuitem", { name: `${name}…` }).click();
  return page.getByRole("dialog");
};

beforeAll(async () => {
  server = await startProjectFixture(writerProject(`echo "hello from the agent" > greeting.txt`));
  server.git("branch", "release");
  const start = { project: server.project, path: "TASKS.md", person: "ana" };
  const answer = await server.post("/api/plans/start", start);
  if (!answer.ok) throw new Error(await answer.text());
  const fetchRun = async () => (await server.get<RunRow[]>("/api/runs")).at(0);
  run = (await waitUntil(async () => ((await fetchRun())?.status === "done" ? fetchRun() : null), "its end"))
    .id;
  page = await (await server.newContext()).newPage();
});

afterAll(async () => {
  await server?.stop();
});

test("a preview names the conflicts, and how to resolve them, and changes nothing", async () => {
  commitGreeting("hello from Ana\n");
  const before = server.git("rev-parse", "main");
  const sheet = await openSheet("Merge results");
  await sheet.getByRole("button", { name: "Preview" }).click();
  const outcome = sheet.locator('[data-outcome="conflicted"]');
  await outcome.getByText("greeting.txt").waitFor();
  await outcome.getByText(/git merge/).waitFor();
  expect(await accessibilityIssuesInBothThemes(page)).toEqual([]);
  await screenshot(page, "land-conflict");
  expect(server.git("rev-parse", "main")).toBe(before);
});

test("a branch that does not exist is refused", async () => {
  const sheet = await openSheet("Merge results");
  await sheet.getByLabel("Merge into").fill("releases");
  await sheet.getByRole("button", { name: "Merge results" }).click();
  await sheet.getByText("The branch releases does not exist.").waitFor();
});

test("the results are merged into another branch as one commit, after a preview", async () => {
  const sheet = await openSheet("Merge results");
  await sheet.getByLabel("Merge into").fill("release");
  await sheet.getByLabel("Make one commit").check();
  await sheet.getByRole("button", { name: "Preview" }).click();
  await sheet.getByText(/^\d+ commits? would be merged into release \(as one commit\)\.$/).waitFor();
  await sheet.getByText("greeting.txt").waitFor();
  await screenshot(page, "land-preview");
  await sheet.getByRole("button", { name: "Merge results" }).click();
  await page
    .getByRole("status")
    .getByText(/^Merged \d+ commits? into release \(as one commit\)\.$/)
    .waitFor();
  expect(server.git("show", "release:greeting.txt")).toBe("hello from the agent\n");
  expect(server.git("rev-list", "--count", "release").trim()).toBe("2");
});

test("branches and refs of landed work are deleted, and listed with those that are kept", async () => {
  const ownBranches = () => server.git("branch", "--list", "jangdan/*").trim();
  expect(ownBranches()).not.toBe("");
  const sheet = await openSheet("Delete finished worktrees");
  await sheet.getByLabel("Also delete branches and refs of landed work").check();
  await screenshot(page, "clean-refs");
  await sheet.getByRole("button", { name: "Delete finished worktrees" }).click();
  const report = sheet.locator("[data-cleanup]");
  await report.getByText(/^Deleted \d+ branch/).waitFor();
  expect(await accessibilityIssuesInBothThemes(page)).toEqual([]);
  await screenshot(page, "clean-refs-report");
  await sheet.getByRole("button", { name: "Close" }).last().click();
  await sheet.waitFor({ state: "detached" });
});
