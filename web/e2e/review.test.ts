import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityIssuesInBothThemes, screenshot } from "./accessibility.ts";
import { type AgentScripts, CLAUDE_AGENT, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

/** An agent that writes the same file in every round. */
const writer = (file: string): AgentScripts[string] => ({
  ...CLAUDE_AGENT,
  script: `
    voice = "claude"
    steps = [
      { wait = "" },
      { write = { path = "${file}", text = "first\\n" } },
      { say = "DONE:{task}:it is there\\n" },
    ]`,
});

let fixture: RunFixture;
let page: Page;
const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const gateRound = async () => (await fixture.rows("gate"))[0];
const waitForReview = (round: number) =>
  waitUntil(async () => {
    const gate = await gateRound();
    return gate?.state === "review" && gate.round === round;
  }, `round ${round} of the review`);

beforeAll(async () => {
  fixture = await startRunFixture(
    { ada: writer("tea.txt"), bea: writer("milk.txt") },
    { hasWorktrees: true, settings: { gateApproval: "person" } },
  );
  await waitForReview(1);
  page = await (await fixture.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

test("a phase is reviewed with its tasks, its diff with line numbers, and files marked as viewed", async () => {
  await page.goto(pageUrl("/runs/RUN/review"));
  await page.locator("main details").filter({ hasText: "tea.txt" }).getByText("first").waitFor();
  const viewed = page.locator("details").filter({ hasText: "tea.txt" }).getByLabel("Viewed");
  await viewed.check();
  await page.getByText("1 of 2 viewed").waitFor();
  await page.reload();
  await page.getByText("1 of 2 viewed").waitFor();
  expect(await page.locator("details").filter({ hasText: "tea.txt" }).locator("pre").count()).toBe(0);
  expect(await accessibilityIssuesInBothThemes(page)).toEqual([]);
  await screenshot(page, "review");
});

test("a comment on a line is a draft that survives a reload, and prevents the approval until it is deleted", async () => {
  const milk = page.locator("details").filter({ hasText: "milk.txt" });
  await milk.locator('[data-line="1"]').click();
  await milk.getByRole("textbox", { name: "Comment on milk.txt:1" }).fill("Which milk?");
  await page.reload();
  const comment = milk.getByRole("textbox", { name: "Comment on milk.txt:1" });
  expect(await comment.inputValue()).toBe("Which milk?");
  const form = page.locator('[data-review="1"]');
  await form.getByText("1 comment").waitFor();
  expect(await form.getByRole("button", { name: "Approve phase 1" }).isDisabled()).toBe(true);
  expect(await accessibilityIssuesInBothThemes(page)).toEqual([]);
  await screenshot(page, "review-comment");
  await milk.getByRole("button", { name: "Delete comment" }).click();
  await comment.waitFor({ state: "detached" });
  expect(await form.getByRole("button", { name: "Approve phase 1" }).isDisabled()).toBe(false);
});

test("changes are requested for a chosen task, and text that is not sent prevents the approval", async () => {
  await page.getByRole("checkbox", { name: "Request changes in T1.1" }).check();
  const form = page.locator('[data-review="1"]');
  expect(await form.getByRole("button", { name: /Request changes/ }).isDisabled()).toBe(true);
  await form.getByRole("textbox").fill("One line is not enough.");
  await page.getByRole("button", { name: "Comment on the file" }).last().click();
  await page.getByRole("textbox", { name: /^Comment on (tea|milk)\.txt$/ }).fill("Add sugar.");
  expect(await form.getByRole("button", { name: "Approve phase 1" }).isDisabled()).toBe(true);
  await form.getByRole("button", { name: "Request changes in 1 task" }).click();
  await waitForReview(2);
  const [round] = (await gateRound())?.rounds ?? [];
  expect(round?.rework).toEqual(["T1.1"]);
  expect(round?.reason).toMatch(/^One line is not enough\.\n\n(tea|milk)\.txt\nAdd sugar\.$/);
});

test("the second round shows what was requested and that nothing changed since then, and is approved", async () => {
  await page.goto(pageUrl("/runs/RUN/review?phase=1"));
  await page.getByText("One line is not enough.").first().waitFor();
  await page.getByText("Nothing has changed since you requested changes.").waitFor();
  await page.getByRole("button", { name: "Since you requested changes", pressed: true }).waitFor();
  await page.getByRole("button", { name: "All changes" }).click();
  await page.locator("details").filter({ hasText: "milk.txt" }).getByText("first").waitFor();
  await screenshot(page, "review-round-2");
  await page.getByRole("button", { name: "Approve phase 1" }).click();
  await waitUntil(async () => (await fixture.rows("run"))[0]?.status === "done", "the end of the run");
});

test("the overview of a run that has ended lists what to look at before merging", async () => {
  await page.goto(pageUrl("/runs/RUN"));
  const section = page.locator("main section").filter({ hasText: "Look at these before you merge" });
  await section.getByText("unchecked").first().waitFor();
  await page.locator('[data-situation="done"]').waitFor();
  await page.getByRole("button", { name: "Merge results…" }).waitFor();
  expect(await accessibilityIssuesInBothThemes(page)).toEqual([]);
  await screenshot(page, "overview-done");
});
