import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findings, picture } from "./looks.ts";
import { type Cast, LIKE_CLAUDE, startWorld, until, type World } from "./world.ts";

const plays = (steps: string, phase = 1): Cast[string] => ({
  ...LIKE_CLAUDE,
  script: `voice = "claude"\nsteps = [{ wait = "" }, ${steps}]`,
  phase,
});
const says = (words: string) => plays(`{ say = ${JSON.stringify(words)} }, { wait = "" }`);
const needs = (type: string, name: string, required: boolean) =>
  says(
    `[DEPENDENCY_REQUEST {key}]\ntype: ${type}\nname: ${name}\ndescription: What ${name} is for.\nrequired: ${required}\n[/DEPENDENCY_REQUEST {key}]\n`,
  );

/** Everything that can wait for a person, once. */
const CAST: Cast = {
  chooser: plays(`{ question = { text = "Which colour?", options = ["red", "blue"] } }`),
  porter: says("[ASK_USER {key}]\nquestion: Which port?\ndefault: 8080\n[/ASK_USER {key}]\n"),
  secret: needs("api_key", "TEA_KEY", true),
  variable: needs("env_variable", "TEA_HOME", false),
  bell: needs("service", "BELL_URL", false),
  recipe: needs("file", "recipe", true),
  approval: needs("permission", "open the shop", true),
  samovar: needs("package", "samovar", true),
  lifter: plays(
    `{ tool = { name = "Bash", kind = "execute", input = { command = "make tea" }, asks = true } }`,
  ),
  faller: plays(`{ exit = 3 }`),
  doer: plays(`{ say = "DONE:{task}\\n" }`, 2),
};
const NAMES = Object.keys(CAST);
const taskOf = (name: string) => `T1.${NAMES.indexOf(name) + 1}`;

let world: World;
const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;

beforeAll(async () => {
  world = await startWorld(CAST, { settings: { gateApproval: "person", retriesMax: 1 } });
  await until(async () => (await world.rows("inbox")).length === NAMES.length, "all that waits");
});

afterAll(async () => {
  await world?.end();
});

const LOOKS: [name: string, options: BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone", { colorScheme: "light", viewport: { width: 390, height: 844 }, locale: "ko" }],
  ["phone-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 }, locale: "ko" }],
];

test.each(LOOKS)("whatever waits can be settled by everybody (%s)", async (look, options) => {
  const context = await world.visitor(options);
  const page = await context.newPage();
  const expectUsable = async (what: string) => {
    expect(await findings(page), what).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), what).toBe(false);
    await picture(page, `cards-${what}-${look}`);
  };
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("main [data-gate]").waitFor();
  await until(() => isComplete(page), "a form on every card");
  await expectUsable("inbox");
  // It stands in the title, and once is enough.
  expect(await page.locator("main article").getByText("What TEA_KEY is for.").count()).toBe(1);
  for (const kind of ["[data-gate]", "[data-request]", "[data-escalation]"]) {
    await page.locator(`main ${kind}`).last().scrollIntoViewIfNeeded();
    await picture(page, `cards-${kind.replace(/\W|data/g, "")}-${look}`);
  }
  await page.goto(at("/runs/RUN/chat"));
  await page.locator("main [data-card]").first().waitFor();
  await expectUsable("chat");
  for (const name of ["porter", "secret", "approval", "lifter", "faller"]) {
    await page.goto(at(`/runs/RUN/tasks/${taskOf(name)}`));
    await page.getByRole("dialog").locator("[data-option], [data-answer]").first().waitFor();
    await expectUsable(name);
  }
  await context.close();
});

async function isComplete(page: Page): Promise<boolean> {
  const cards = page.locator("main article");
  const n = await cards.count();
  const withForm = cards.filter({ has: page.locator("[data-option], [data-answer]") });
  return n === NAMES.length && (await withForm.count()) === n;
}
