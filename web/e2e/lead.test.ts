import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asks, type Cast, LIKE_CLAUDE, startWorld, until, type World } from "./world.ts";

/** One who leads: keeps every question in hand, and asks something about the run itself. */
const CAST: Cast = {
  lead: {
    role: "orchestrator",
    ...LIKE_CLAUDE,
    script: `
      voice = "claude"
      steps = [
        { wait = "" },
        { question = { text = "Shall we serve tea at all?", options = ["yes", "no"] } },
        { hang = "listening" },
      ]`,
  },
  ada: asks("What does ada want?"),
};
let world: World;
let page: Page;

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;

beforeAll(async () => {
  world = await startWorld(CAST);
  const context = await world.visitor();
  page = await context.newPage();
});

afterAll(async () => {
  await world?.end();
});

const ASKED = "Shall we serve tea at all?";
/** What a task or a session is drawn with, and what it says. */
const shown = (place: string) => page.locator(`main ${place}`).first();

test("what the orchestrator has in hand waits for nobody else, and is not amber", async () => {
  for (const view of ["board", "canvas", "list"]) {
    await page.goto(at(`/runs/RUN/${view}`));
    await shown('[data-task="T1.1"] [data-asks="orchestrator"]').getByText("What does ada want?").waitFor();
    expect(await page.locator("main [data-asks=person]").count(), view).toBe(0);
  }
  await page.goto(at("/runs/RUN/tasks/T1.1"));
  await page.getByRole("dialog").getByText("The orchestrator has this question in hand:").waitFor();
});

test("the key for what is most urgent leads to what is about the run, too", async () => {
  await page.goto(at("/runs/RUN/list"));
  await shown("[data-task]").waitFor();
  await page.keyboard.press("g");
  await until(() => page.url() === at("/runs/RUN/inbox"), "the inbox");
  await shown("[data-chosen]").getByText(ASKED).waitFor();
});

test("one who leads and asks has the mark and the words, and is answered where it is shown", async () => {
  await page.goto(at("/runs/RUN/team"));
  const line = shown("[data-session]").filter({ hasText: "lead" });
  await line.getByText(`? ${ASKED}`).waitFor();
  expect(await line.getAttribute("data-tone")).toBe("ask");
  expect(await shown('[data-task="T1.1"]').getAttribute("data-tone")).toBe("wait");
  await line.dblclick();
  const panel = page.getByRole("dialog");
  await panel.getByRole("heading", { name: ASKED }).waitFor();
  await panel.locator('[data-option="1"]').click();
  await panel.getByRole("heading", { name: ASKED }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await until(async () => (await line.getAttribute("data-tone")) !== "ask", "one that goes on");
});
