import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { screenshot } from "./accessibility.ts";
import { CLAUDE_AGENT, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

/** More text than fits on the screen, and then a question. */
const STORY = `${Array.from({ length: 60 }, (_, n) => `${n + 1}. a cup\n`).join("")}
[ASK_USER {key}]
question: What is in the cups?
type: selection
options: ["tea", "milk"]
[/ASK_USER {key}]
`;
const AGENTS = {
  ada: {
    ...CLAUDE_AGENT,
    script: `
      voice = "claude"
      steps = [
        { wait = "" },
        { say = ${JSON.stringify(STORY)} },
        { wait = "" },
        { say = "DONE:{task}:it is there\\n" },
      ]`,
  },
};

let fixture: RunFixture;
let page: Page;
const pressKey = (key: string) => page.keyboard.press(key);
const fetchRun = async () => (await fixture.rows("run"))[0];

/** Presses Tab until an element has the focus, with a visible outline. */
async function pressTabUntilFocused(target: Locator): Promise<void> {
  await target.waitFor();
  for (let n = 0; n < 60; n += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      const outline = await target.evaluate((element) => getComputedStyle(element).outlineStyle);
      expect(outline, "the focus outline").not.toBe("none");
      return;
    }
    await pressKey("Tab");
  }
  throw new Error("the element cannot be reached with Tab");
}

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS, { settings: { gateApproval: "person" } });
  await waitUntil(async () => (await fixture.rows("inbox")).length > 0, "a question");
  page = await (await fixture.newContext()).newPage();
  // Fail on any use of a pointer.
  await page.addInitScript(`addEventListener("pointerdown", () => { throw new Error("a pointer"); }, true)`);
});

afterAll(async () => {
  await fixture?.stop();
});

test("the run is opened from the link", async () => {
  await page.goto(fixture.runCommand(["link"]).match(/http:\S+/)?.[0] ?? "");
  await page.locator("main").first().waitFor();
  // What needs the user is shown first, the list of runs is one step away.
  await page.waitForURL("**/needs-you");
  await pressTabUntilFocused(page.getByRole("link", { name: "Runs" }));
  await pressKey("Enter");
  await pressTabUntilFocused(page.locator("main li a").first());
  await pressKey("Enter");
  await page.waitForURL(`**/runs/${fixture.run}**`);
  // The first Tab skips the navigation.
  await page.reload();
  await page.locator("main").first().waitFor();
  await pressTabUntilFocused(page.getByRole("link", { name: "Skip to content" }));
  await pressKey("Enter");
  await pressKey("Tab");
  expect(await page.locator("main").evaluate((main) => main.contains(document.activeElement))).toBe(true);
});

test("the task with a question is found, and its conversation is scrolled", async () => {
  await pressKey("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("needs you cups");
  await page.getByRole("option", { name: /What is in the cups/ }).waitFor();
  await pressKey("Enter");
  await page.waitForURL(/needs-you\?item=/);
  await page.locator("[data-selected] [data-option]").first().waitFor();
  await pressKey("o");
  const panel = page.getByRole("dialog");
  await panel.locator("[data-option]").first().waitFor();
  const conversation = panel.getByRole("tabpanel");
  // Wait for the layout, which would interrupt scrolling.
  await conversation.locator("[data-turn] ol li").nth(59).waitFor();
  await pressTabUntilFocused(conversation);
  const scrollTop = () => conversation.evaluate((box) => box.scrollTop);
  await pressKey("Home");
  await waitUntil(async () => (await scrollTop()) === 0, "the start");
  await pressKey("PageDown");
  await waitUntil(async () => (await scrollTop()) > 0, "a later part");
  await screenshot(page, "keyboard-conversation");
});

test("the question is answered, and the task continues", async () => {
  const panel = page.getByRole("dialog");
  // Arrow keys move between tabs.
  await pressTabUntilFocused(panel.getByRole("tab", { name: "Conversation" }));
  await pressKey("ArrowRight");
  await pressKey("Enter");
  await page.waitForURL(/tab=changes/);
  await pressTabUntilFocused(panel.locator('[data-option="2"]'));
  await pressKey("Enter");
  await panel.locator("header").getByText("Done", { exact: true }).waitFor();
  expect((await fixture.rows("question"))[0]?.answer).toBe("milk");
  await pressKey("Escape");
  await panel.waitFor({ state: "detached" });
});

test("the gate is approved, and the run is done", async () => {
  await page.locator("[data-next]").waitFor();
  await pressKey("g");
  await page.waitForURL(/needs-you\?item=gate\.1$/);
  const gate = page.locator("main [data-gate]");
  await gate.waitFor();
  await pressKey("Enter");
  await waitUntil(
    () => gate.evaluate((form) => form.contains(document.activeElement)),
    "the focus in the card",
  );
  await pressTabUntilFocused(gate.getByRole("button", { name: /Approve/ }));
  await pressKey("Enter");
  await page.locator("header").getByText("Done", { exact: true }).first().waitFor();
  await waitUntil(async () => (await fetchRun())?.status === "done", "the end of the run");
});
