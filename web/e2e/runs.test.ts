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
  newRunRequest,
  type RunFixture,
  startRunFixture,
  waitUntil,
} from "./fixture.ts";

const N_RUNS = 53;
const PAGE_SIZE = 50;
const AGENTS: AgentScripts = {
  doer: {
    ...CLAUDE_AGENT,
    script: `voice = "claude"\nsteps = [{ wait = "" }, { say = "DONE:{task}:it is there\\n" }]`,
  },
};

const project = mkdtempSync(join(tmpdir(), "jangdan-web-runs-"));
let fixture: RunFixture;
let page: Page;

const fetchRuns = () => fixture.get<RunRow[]>("/api/runs");
const startRun = async () =>
  expect((await fixture.post("/api/runs", newRunRequest(AGENTS, project, {}))).ok).toBe(true);
const runCards = () => page.locator("main li");
const olderRunsButton = () => page.getByRole("button", { name: "Show older runs" });

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
  await page.goto(`${fixture.origin}/runs`);
  await olderRunsButton().waitFor();
  expect(await runCards().count()).toBe(PAGE_SIZE);
  const first = (await fetchRuns())[0]?.id ?? "";
  expect(await runCards().filter({ hasText: first }).count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(first);
  await page.getByRole("option").filter({ hasText: first }).waitFor();
  await page.keyboard.press("Escape");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await olderRunsButton().scrollIntoViewIfNeeded();
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
  await olderRunsButton().click();
  await page.getByText("the disk is on fire").waitFor();
  expect(await runCards().count()).toBe(PAGE_SIZE);
  await page.unroute("**/api/runs?*before=*");
  await olderRunsButton().click();
  await waitUntil(async () => (await runCards().count()) === N_RUNS, "all runs");
  await olderRunsButton().waitFor({ state: "detached" });
  const shown = await runCards().locator("code").allInnerTexts();
  expect(shown).toEqual((await fetchRuns()).map(({ id }) => id).reverse());
});

test("a new run is listed first", async () => {
  await startRun();
  const newest = (await fetchRuns()).at(-1)?.id ?? "";
  await runCards().first().getByText(newest).waitFor();
  expect(await runCards().count()).toBe(N_RUNS + 1);
});
