import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { picture } from "./looks.ts";
import { LIKE_CLAUDE, startWorld, until, type World } from "./world.ts";

/** More than anybody sees at once, and then a question. */
const STORY = `${Array.from({ length: 60 }, (_, n) => `${n + 1}. a cup\n`).join("")}
[ASK_USER {key}]
question: What is in the cups?
type: selection
options: ["tea", "milk"]
[/ASK_USER {key}]
`;
const CAST = {
  ada: {
    ...LIKE_CLAUDE,
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

let world: World;
let page: Page;
const press = (key: string) => page.keyboard.press(key);
const run = async () => (await world.rows("run"))[0];

/** Goes on with Tab until something has the focus, which must be seen. */
async function tabTo(what: Locator): Promise<void> {
  await what.waitFor();
  for (let n = 0; n < 60; n += 1) {
    if (await what.evaluate((element) => element === document.activeElement)) {
      const outline = await what.evaluate((element) => getComputedStyle(element).outlineStyle);
      expect(outline, "the sign of the focus").not.toBe("none");
      return;
    }
    await press("Tab");
  }
  throw new Error("no Tab leads there");
}

beforeAll(async () => {
  world = await startWorld(CAST, { settings: { gateApproval: "person" } });
  await until(async () => (await world.rows("inbox")).length > 0, "a question");
  page = await (await world.visitor()).newPage();
  // Whatever a pointer does is a mistake here.
  await page.addInitScript(`addEventListener("pointerdown", () => { throw new Error("a pointer"); }, true)`);
});

afterAll(async () => {
  await world?.end();
});

test("from the link to the run", async () => {
  await page.goto(world.command(["link"]).match(/http:\S+/)?.[0] ?? "");
  await page.locator("main").first().waitFor();
  await tabTo(page.locator("#runs li a").first());
  await press("Enter");
  await page.waitForURL(`**/runs/${world.run}**`);
  // The first Tab leads past everything that stands around the view.
  await page.reload();
  await page.locator("main").first().waitFor();
  await tabTo(page.getByRole("link", { name: "To the content" }));
  await press("Enter");
  await press("Tab");
  expect(await page.locator("main").evaluate((main) => main.contains(document.activeElement))).toBe(true);
});

test("the task that asks is found, and its conversation is read", async () => {
  await press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.type("waits for you cups");
  await page.getByRole("option", { name: /What is in the cups/ }).waitFor();
  await press("Enter");
  const panel = page.getByRole("dialog");
  await panel.locator("[data-option]").first().waitFor();
  const talk = panel.getByRole("tabpanel");
  // What is laid out anew meanwhile would hold the way to the beginning up.
  await talk.locator("[data-turn] ol li").nth(59).waitFor();
  await tabTo(talk);
  const above = () => talk.evaluate((box) => box.scrollTop);
  await press("Home");
  await until(async () => (await above()) === 0, "the beginning");
  await press("PageDown");
  await until(async () => (await above()) > 0, "what is further down");
  await picture(page, "keyboard-conversation");
});

test("it is answered, and goes on", async () => {
  const panel = page.getByRole("dialog");
  // On the tabs arrows lead from one to the next.
  await tabTo(panel.getByRole("tab", { name: "Conversation" }));
  await press("ArrowRight");
  await press("Enter");
  await page.waitForURL(/tab=output/);
  await tabTo(panel.locator('[data-option="2"]'));
  await press("Enter");
  await panel.locator("header").getByText("Done", { exact: true }).waitFor();
  expect((await world.rows("question"))[0]?.answer).toBe("milk");
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
