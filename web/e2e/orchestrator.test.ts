import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AgentScripts,
  agentThatAsks,
  CLAUDE_AGENT,
  type RunFixture,
  startRunFixture,
  waitUntil,
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
  ada: agentThatAsks("What does ada want?"),
};
let fixture: RunFixture;
let page: Page;

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS);
  const context = await fixture.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

const QUESTION = "Shall we serve tea at all?";
const firstInMain = (selector: string) => page.locator(`main ${selector}`).first();

test("a question that the orchestrator handles is not marked as waiting for the person", async () => {
  for (const view of ["board", "canvas", "list"]) {
    await page.goto(pageUrl(`/runs/RUN/${view}`));
    await firstInMain('[data-task="T1.1"] [data-asks="orchestrator"]')
      .getByText("What does ada want?")
      .waitFor();
    expect(await page.locator("main [data-asks=person]").count(), view).toBe(0);
  }
  await page.goto(pageUrl("/runs/RUN/tasks/T1.1"));
  await page.getByRole("dialog").getByText("The orchestrator is handling this question:").waitFor();
});

test("the key for the most urgent item also opens questions about the run", async () => {
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await firstInMain("[data-task]").waitFor();
  await page.keyboard.press("g");
  await waitUntil(() => page.url().startsWith(pageUrl("/runs/RUN/needs-you?item=")), "what needs the user");
  await firstInMain("[data-selected]").getByText(QUESTION).waitFor();
});

test("the orchestrator's session shows its question, and is answered in its panel", async () => {
  await page.goto(pageUrl("/runs/RUN/team"));
  const line = firstInMain("[data-session]").filter({ hasText: "lead" });
  await line.getByText(`? ${QUESTION}`).waitFor();
  expect(await line.getAttribute("data-tone")).toBe("ask");
  expect(await firstInMain('[data-task="T1.1"]').getAttribute("data-tone")).toBe("wait");
  await line.click();
  const panel = page.getByRole("dialog");
  await panel.getByRole("heading", { name: QUESTION }).waitFor();
  await panel.locator('[data-option="1"]').click();
  await panel.getByRole("heading", { name: QUESTION }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await waitUntil(async () => (await line.getAttribute("data-tone")) !== "ask", "the session to continue");
});
