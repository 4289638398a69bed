import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityIssues, screenshot } from "./accessibility.ts";
import { type AgentScripts, CLAUDE_AGENT, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

const scriptedAgent = (steps: string, phase = 1): AgentScripts[string] => ({
  ...CLAUDE_AGENT,
  script: `voice = "claude"\nsteps = [{ wait = "" }, ${steps}]`,
  phase,
});
const agentThatSays = (text: string) => scriptedAgent(`{ say = ${JSON.stringify(text)} }, { wait = "" }`);
const agentThatRequests = (type: string, name: string, required: boolean) =>
  agentThatSays(
    `[DEPENDENCY_REQUEST {key}]\ntype: ${type}\nname: ${name}\ndescription: What ${name} is for.\nrequired: ${required}\n[/DEPENDENCY_REQUEST {key}]\n`,
  );

/** One agent for every kind of inbox entry. */
const AGENTS: AgentScripts = {
  chooser: scriptedAgent(`{ question = { text = "Which colour?", options = ["red", "blue"] } }`),
  porter: agentThatSays("[ASK_USER {key}]\nquestion: Which port?\ndefault: 8080\n[/ASK_USER {key}]\n"),
  host: agentThatSays("[ASK_USER {key}]\nquestion: Which host?\ndefault: localhost\n[/ASK_USER {key}]\n"),
  secret: agentThatRequests("api_key", "TEA_KEY", true),
  variable: agentThatRequests("env_variable", "TEA_HOME", false),
  bell: agentThatRequests("service", "BELL_URL", false),
  recipe: agentThatRequests("file", "recipe", true),
  approval: agentThatRequests("permission", "open the shop", true),
  samovar: agentThatRequests("package", "samovar", true),
  lifter: scriptedAgent(
    `{ tool = { name = "Bash", kind = "execute", input = { command = "make tea" }, asks = true } }`,
  ),
  faller: scriptedAgent(`{ exit = 3 }`),
  doer: scriptedAgent(`{ say = "DONE:{task}:it is there\\n" }`, 2),
};
const NAMES = Object.keys(AGENTS);
const taskIdOfAgent = (name: string) => `T1.${NAMES.indexOf(name) + 1}`;

let fixture: RunFixture;
const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;

beforeAll(async () => {
  fixture = await startRunFixture(AGENTS, { settings: { gateApproval: "person", retriesMax: 1 } });
  await waitUntil(async () => (await fixture.rows("inbox")).length === NAMES.length, "all inbox entries");
});

afterAll(async () => {
  await fixture?.stop();
});

/** One test checks every kind of entry, one after the other. */
const ALL_KINDS_TIMEOUT_MS = 180_000;
const THEMES: [name: string, options: BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone", { colorScheme: "light", viewport: { width: 390, height: 844 }, locale: "ko" }],
  ["phone-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 }, locale: "ko" }],
];

test.each(THEMES)(
  "every kind of inbox entry is accessible (%s)",
  { timeout: ALL_KINDS_TIMEOUT_MS },
  async (theme, options) => {
    const context = await fixture.newContext(options);
    const page = await context.newPage();
    const expectUsable = async (what: string) => {
      expect(await accessibilityIssues(page), what).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), what).toBe(false);
      await screenshot(page, `cards-${what}-${theme}`);
    };
    await page.goto(pageUrl("/runs/RUN/needs-you"));
    await page.locator("[data-row]").first().waitFor();
    expect(await page.locator("[data-row]").count()).toBe(NAMES.length);
    await expectUsable("needs-you");
    for (const { item } of await fixture.rows("inbox")) {
      await page.goto(pageUrl(`/runs/RUN/needs-you?item=${item.type}.${item.id}`));
      const article = page.locator(`[data-entry="${fixture.run}/${item.id}"]`);
      const answer = article.locator("[data-option], [data-answer]").first();
      await answer.waitFor();
      // The answers are on the screen without scrolling.
      const box = await answer.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
      await expectUsable(`needs-you-${item.type}-${item.id}`);
    }
    await page.goto(pageUrl("/runs/RUN/activity"));
    await page.locator("main [data-card]").first().waitFor();
    await expectUsable("chat");
    for (const name of ["porter", "secret", "approval", "lifter", "faller"]) {
      await page.goto(pageUrl(`/runs/RUN/tasks/${taskIdOfAgent(name)}`));
      await page.getByRole("dialog").locator("[data-option], [data-answer]").first().waitFor();
      await expectUsable(name);
    }
    await context.close();
  },
);

test("all defaults are used at once, after a confirmation that lists them", async () => {
  const page = await (await fixture.newContext()).newPage();
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.getByRole("button", { name: "Use 2 defaults…" }).click();
  const sheet = page.getByRole("dialog");
  for (const text of ["Which port?", "8080", "Which host?", "localhost"])
    await sheet.getByText(text).waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  await screenshot(page, "needs-you-defaults");
  await sheet.getByRole("button", { name: "Use 2 defaults" }).click();
  const answerOf = async (name: string) =>
    (await fixture.rows("question")).find(({ task }) => task === taskIdOfAgent(name))?.answer;
  await waitUntil(async () => (await answerOf("porter")) === "8080", "the answer about the port");
  await waitUntil(async () => (await answerOf("host")) === "localhost", "the answer about the host");
  await page.getByRole("button", { name: /Use \d defaults/ }).waitFor({ state: "detached" });
});
