import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRow } from "../src/api/generated.ts";
import { accessibilityIssues, screenshot } from "./accessibility.ts";
import {
  type AgentScripts,
  CLAUDE_AGENT,
  newRunBody,
  type RunFixture,
  startRunFixture,
  until,
} from "./fixture.ts";

const N_RUNS = 53;
const PAGE_SIZE = 50;
const AGENTS: AgentScripts = {
  doer: { ...CLAUDE_AGENT, script: `voice = "claude"\nsteps = [{ wait = "" }, { say = "DONE:{task}\\n" }]` },
};

const project = mkdtempSync(join(tmpdir(), "jangdan-web-runs-"));
let fixture: RunFixture;
let page: Page;

const runs = () => fixture.get<RunRow[]>("/api/runs");
const startRun = async () =>
  expect((await fixture.post("/api/runs", newRunBody(AGENTS, project, {}))).ok).toBe(true);
const cards = () => page.locator("#runs li");
const older = () => page.getByRole("button", { name: "Show older runs" });

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  for (let n = 1; n < N_RUNS; n += 1) await startRun();
  page = await (await fixture.newContext()).newPage();
});

afterAll(async () => {
  await fixture?.stop();
  rmSync(project, { recursive: true, force: true });
});

test("the newest runs are listed, and the palette finds all", async () => {
  await page.goto(`${fixture.origin}/`);
  await older().waitFor();
  expect(await cards().count()).toBe(PAGE_SIZE);
  const first = (await runs())[0]?.id ?? "";
  expect(await cards().filter({ hasText: first }).count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(first);
  await page.getByRole("option").filter({ hasText: first }).waitFor();
  await page.keyboard.press("Escape");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await older().scrollIntoViewIfNeeded();
    expect(await accessibilityIssues(page)).toEqual([]);
    await screenshot(page, `runs-many-${colorScheme}`);
  }
});

test("older runs that could not be loaded show an error, and load on retry", async () => {
  const problem = {
    code: "internal-error",
    title: "Internal error",
    detail: "the disk is on fire",
    hint: "",
  };
  await page.route("**/api/runs?*before=*", (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await older().click();
  await page.getByText("the disk is on fire").waitFor();
  expect(await cards().count()).toBe(PAGE_SIZE);
  await page.unroute("**/api/runs?*before=*");
  await older().click();
  await until(async () => (await cards().count()) === N_RUNS, "all runs");
  await older().waitFor({ state: "detached" });
  const shown = await cards().locator("code").allInnerTexts();
  expect(shown).toEqual((await runs()).map(({ id }) => id).reverse());
});

test("a new run is listed first", async () => {
  await startRun();
  const newest = (await runs()).at(-1)?.id ?? "";
  await cards().first().getByText(newest).waitFor();
  expect(await cards().count()).toBe(N_RUNS + 1);
});
