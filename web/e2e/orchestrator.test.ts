import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AgentScripts,
  asksQuestion,
  CLAUDE_AGENT,
  type RunFixture,
  startRunFixture,
  until,
} from "./fixture.ts";

/** An orchestrator that handles every question itself, and asks one about the run. */
const AGENTS: AgentScripts = {
  lead: {
    role: "orchestrator",
    ...CLAUDE_AGENT,
    script: `
      voice = "claude"
      steps = [
        { wait = "" },
        { question = { text = "Shall we serve tea at all?", options = ["yes", "no"] } },
        { hang = "listening" },
      ]`,
  },
  ada: asksQuestion("What does ada want?"),
};
let fixture: RunFixture;
let page: Page;

const at = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  const context = await fixture.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

const QUESTION = "Shall we serve tea at all?";
const first = (selector: string) => page.locator(`main ${selector}`).first();

test("a question that the orchestrator handles is not for the person, and not amber", async () => {
  for (const view of ["board", "canvas", "list"]) {
    await page.goto(at(`/runs/RUN/${view}`));
    await first('[data-task="T1.1"] [data-asks="orchestrator"]').getByText("What does ada want?").waitFor();
    expect(await page.locator("main [data-asks=person]").count(), view).toBe(0);
  }
  await page.goto(at("/runs/RUN/tasks/T1.1"));
  await page.getByRole("dialog").getByText("The orchestrator is handling this question:").waitFor();
});

test("the key for the most urgent item also opens questions about the run", async () => {
  await page.goto(at("/runs/RUN/list"));
  await first("[data-task]").waitFor();
  await page.keyboard.press("g");
  await until(() => page.url() === at("/runs/RUN/inbox"), "the inbox");
  await first("[data-selected]").getByText(QUESTION).waitFor();
});

test("the orchestrator's session shows its question, and is answered in its panel", async () => {
  await page.goto(at("/runs/RUN/team"));
  const line = first("[data-session]").filter({ hasText: "lead" });
  await line.getByText(`? ${QUESTION}`).waitFor();
  expect(await line.getAttribute("data-tone")).toBe("ask");
  expect(await first('[data-task="T1.1"]').getAttribute("data-tone")).toBe("wait");
  await line.dblclick();
  const panel = page.getByRole("dialog");
  await panel.getByRole("heading", { name: QUESTION }).waitFor();
  await panel.locator('[data-option="1"]').click();
  await panel.getByRole("heading", { name: QUESTION }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await until(async () => (await line.getAttribute("data-tone")) !== "ask", "the session to continue");
});
