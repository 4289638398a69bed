import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

const SCRIPT = `
  voice = "plain"
  steps = [
    { wait = "" },
    { ask = { text = "Which bed?", options = ["soft", "hard"] } },
    { hang = "listening" },
  ]`;

let fixture: RunFixture;
let page: Page;

beforeAll(async () => {
  // The process of a session that waits for an answer is stopped soon.
  const settings = { parkFrozenAfterMs: 200, parkColdAfterMs: 400 };
  fixture = await startRunFixture(
    { sleeper: { preset: { extends: "shell" }, script: SCRIPT } },
    { settings },
  );
  page = await (await fixture.newContext()).newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

test("a session without a process has no text field for input until it resumes", async () => {
  await waitUntil(
    async () => (await fixture.rows("session")).some(({ park }) => park === "cold"),
    "the session to be stopped",
  );
  await page.goto(`${fixture.origin}/runs/${fixture.run}/tasks/T1.1?tab=output`);
  const panel = page.getByRole("dialog");
  const box = panel.getByLabel("Type a line to the agent…");
  await panel.getByText("The agent's process was stopped while it waits.").waitFor();
  expect(await box.count()).toBe(0);
  await panel.locator('[data-option="1"]').click();
  await box.waitFor();
});
