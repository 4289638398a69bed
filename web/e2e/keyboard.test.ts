import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { screenshot } from "./accessibility.ts";
import { CLAUDE_AGENT, type RunFixture, startRunFixture, until } from "./fixture.ts";

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
        { say = "DONE:{task}\\n" },
      ]`,
  },
};

let fixture: RunFixture;
let page: Page;
const press = (key: string) => page.keyboard.press(key);
const run = async () => (await fixture.rows("run"))[0];

/** Presses Tab until an element has the focus, with a visible outline. */
async function tabTo(target: Locator): Promise<void> {
  await target.waitFor();
  for (let n = 0; n < 60; n += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      const outline = await target.evaluate((element) => getComputedStyle(element).outlineStyle);
      expect(outline, "the focus outline").not.toBe("none");
      return;
    }
    await press("Tab");
  }
  throw new Error("the element cannot be reached with Tab");
}

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS, { settings: { gateApproval: "person" } });
  await until(async () => (await fixture.rows("inbox")).length > 0, "a question");
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
  await tabTo(page.locator("#runs li a").first());
  await press("Enter");
  await page.waitForURL(`**/runs/${fixture.run}**`);
  // The first Tab skips the navigation.
  await page.reload();
  await page.locator("main").first().waitFor();
  await tabTo(page.getByRole("link", { name: "Skip to content" }));
  await press("Enter");
  await press("Tab");
  expect(await page.locator("main").evaluate((main) => main.contains(document.activeElement))).toBe(true);
});

test("the task with a question is found, and its conversation is scrolled", async () => {
  await press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("waiting for you cups");
  await page.getByRole("option", { name: /What is in the cups/ }).waitFor();
  await press("Enter");
  const panel = page.getByRole("dialog");
  await panel.locator("[data-option]").first().waitFor();
  const conversation = panel.getByRole("tabpanel");
  // Wait for the layout, which would interrupt scrolling.
  await conversation.locator("[data-turn] ol li").nth(59).waitFor();
  await tabTo(conversation);
  const scrollTop = () => conversation.evaluate((box) => box.scrollTop);
  await press("Home");
  await until(async () => (await scrollTop()) === 0, "the start");
  await press("PageDown");
  await until(async () => (await scrollTop()) > 0, "a later part");
  await screenshot(page, "keyboard-conversation");
});

test("the question is answered, and the task continues", async () => {
  const panel = page.getByRole("dialog");
  // Arrow keys move between tabs.
  await tabTo(panel.getByRole("tab", { name: "Conversation" }));
  await press("ArrowRight");
  await press("Enter");
  await page.waitForURL(/tab=output/);
  await tabTo(panel.locator('[data-option="2"]'));
  await press("Enter");
  await panel.locator("header").getByText("Done", { exact: true }).waitFor();
  expect((await fixture.rows("question"))[0]?.answer).toBe("milk");
  await press("Escape");
  await panel.waitFor({ state: "detached" });
});

test("the gate is approved, and the run is done", async () => {
  await page.locator("[data-next]").waitFor();
  await press("g");
  await page.waitForURL(/\/inbox$/);
  const gate = page.locator("main [data-gate]");
  await gate.waitFor();
  await press("Enter");
  await until(() => gate.evaluate((form) => form.contains(document.activeElement)), "the focus in the card");
  await tabTo(gate.getByRole("button", { name: /Approve/ }));
  await press("Enter");
  await page.locator("header").getByText("Done", { exact: true }).first().waitFor();
  await until(async () => (await run())?.status === "done", "the end of the run");
});
