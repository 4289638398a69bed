import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunRow } from "../src/api/generated.ts";
import { findings, picture } from "./looks.ts";
import { type Cast, LIKE_CLAUDE, newRun, startWorld, until, type World } from "./world.ts";

const N_RUNS = 53;
const AT_ONCE = 50;
const CAST: Cast = {
  doer: { ...LIKE_CLAUDE, script: `voice = "claude"\nsteps = [{ wait = "" }, { say = "DONE:{task}\\n" }]` },
};

const project = mkdtempSync(join(tmpdir(), "jangdan-web-runs-"));
let world: World;
let page: Page;

const runs = () => world.ask<RunRow[]>("/api/runs");
const begin = async () => expect((await world.send("/api/runs", newRun(CAST, project, {}))).ok).toBe(true);
const cards = () => page.locator("#runs li");
const older = () => page.getByRole("button", { name: "Show older runs" });

beforeAll(async () => {
  world = await startWorld(CAST);
  for (let n = 1; n < N_RUNS; n += 1) await begin();
  page = await (await world.visitor()).newPage();
});

afterAll(async () => {
  await world?.end();
  rmSync(project, { recursive: true, force: true });
});

test("of many runs the newest are shown, and the palette knows them all", async () => {
  await page.goto(`${world.origin}/`);
  await older().waitFor();
  expect(await cards().count()).toBe(AT_ONCE);
  const first = (await runs())[0]?.id ?? "";
  expect(await cards().filter({ hasText: first }).count()).toBe(0);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(first);
  await page.getByRole("option").filter({ hasText: first }).waitFor();
  await page.keyboard.press("Escape");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await older().scrollIntoViewIfNeeded();
    expect(await findings(page)).toEqual([]);
    await picture(page, `runs-many-${colorScheme}`);
  }
});

test("older ones that can't be had are said so, and come when somebody tries again", async () => {
  const problem = { code: "broken", title: "Something broke", detail: "the disk is on fire", hint: "" };
  await page.route("**/api/runs?*before=*", (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await older().click();
  await page.getByText("the disk is on fire").waitFor();
  expect(await cards().count()).toBe(AT_ONCE);
  await page.unroute("**/api/runs?*before=*");
  await older().click();
  await until(async () => (await cards().count()) === N_RUNS, "all runs");
  await older().waitFor({ state: "detached" });
  const shown = await cards().locator("code").allInnerTexts();
  expect(shown).toEqual((await runs()).map(({ id }) => id).reverse());
});

test("a run that begins meanwhile stands above all", async () => {
  await begin();
  const newest = (await runs()).at(-1)?.id ?? "";
  await cards().first().getByText(newest).waitFor();
  expect(await cards().count()).toBe(N_RUNS + 1);
});
