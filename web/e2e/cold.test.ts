import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, until, type World } from "./world.ts";

const SCRIPT = `
  voice = "plain"
  steps = [
    { wait = "" },
    { ask = { text = "Which bed?", options = ["soft", "hard"] } },
    { hang = "listening" },
  ]`;

let world: World;
let page: Page;

beforeAll(async () => {
  // Who waits for an answer soon has no process any more.
  const settings = { parkFrozenAfterMs: 200, parkColdAfterMs: 400 };
  world = await startWorld({ sleeper: { preset: { extends: "shell" }, script: SCRIPT } }, { settings });
  page = await (await world.visitor()).newPage();
});

afterAll(async () => {
  await world?.end();
});

test("nobody types to an agent that has no process, until it goes on", async () => {
  await until(async () => (await world.rows("session")).some(({ park }) => park === "cold"), "the cold");
  await page.goto(`${world.origin}/runs/${world.run}/tasks/T1.1?tab=output`);
  const panel = page.getByRole("dialog");
  const box = panel.getByLabel("Type a line into the agent's input…");
  await panel.getByText("Its process was ended while it waits.").waitFor();
  expect(await box.count()).toBe(0);
  await panel.locator('[data-option="1"]').click();
  await box.waitFor();
});
