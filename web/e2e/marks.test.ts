import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { screenshot } from "./accessibility.ts";
import { CLAUDE_AGENT, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

const REASON_SCRIPT =
  'voice = "claude"\nsteps = [{ wait = "" }, { say = "DONE:{task}:nothing to change\\n" }]';

let fixture: RunFixture;
let page: Page;

beforeAll(async () => {
  fixture = await startRunFixture(
    { ada: { ...CLAUDE_AGENT, script: REASON_SCRIPT } },
    { hasWorktrees: true, settings: { gateApproval: "person" } },
  );
  await waitUntil(async () => (await fixture.rows("gate"))[0]?.state === "review", "the gate");
  page = await (await fixture.newContext()).newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

test.each(["canvas", "board", "schedule", "list", "inbox", "tasks/T1.1"])(
  "%s shows what is not proved about a done task",
  async (view) => {
    const [task] = await fixture.rows("task");
    expect(task?.marks).toEqual(["unchecked", "noChanges"]);
    await page.goto(`${fixture.origin}/runs/${fixture.run}/${view}`);
    const isPanel = view.startsWith("tasks/");
    const place = isPanel ? page.getByRole("dialog") : page.locator("main");
    await place.getByText("unchecked · no changes").locator("visible=true").first().waitFor();
    await screenshot(page, `marks-${view.replace("/", "-")}`);
  },
);
