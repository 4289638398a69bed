import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentThatAsks, type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const mainElement = () => page.locator("main");

beforeAll(async () => {
  fixture = await startRunFixture({ ada: agentThatAsks("What does ada want?") });
  await waitUntil(async () => (await fixture.rows("inbox")).length > 0, "a question");
  context = await fixture.newContext();
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

test("a card whose question could not be loaded shows the error, and loads it on retry", async () => {
  const path = /\/rows\?.*kind=question\b/;
  const problem = {
    code: "internal-error",
    title: "Internal error",
    detail: "the disk is on fire",
    hint: "",
  };
  await page.route(path, (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await page.goto(pageUrl("/"));
  const card = mainElement().locator("article").first();
  await card.getByText("the disk is on fire").waitFor();
  await page.unroute(path);
  await card.getByRole("button", { name: "Try again" }).click();
  await card.locator("[data-option]").first().waitFor();
});

test("without the server unloaded parts show an error, and the rest of the page stays", async () => {
  // Disable prefetching.
  await page.addInitScript("window.requestIdleCallback = () => 0");
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  const box = mainElement().locator("textarea").first();
  await box.fill("a long draft");
  await fixture.killServer();
  await page.getByRole("alert").getByText("Offline since").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("body").press("Control+k");
  await page.locator("[data-toasts]").getByText("This part of the page could not be loaded.").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.locator("[data-toasts]").getByText("could not be loaded").nth(1).waitFor();
  await page.locator('[data-place="work"]').click();
  await mainElement().getByText("This part of the page could not be loaded.").waitFor();
  await mainElement().getByRole("button", { name: "Try again" }).click();
  await mainElement().getByText("This part of the page could not be loaded.").waitFor();
  await page.locator('[data-place="needs-you"]').click();
  expect(await box.inputValue()).toBe("a long draft");
  await page.locator('[data-place="work"]').click();
  await mainElement().getByText("This part of the page could not be loaded.").waitFor();
  await fixture.startServer();
  // Without user action.
  await mainElement().locator('[data-task="T1.1"]').first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.press("Escape");
  await page.locator('[data-place="needs-you"]').click();
  expect(await box.inputValue()).toBe("a long draft");
});

test("prefetched parts work without the server", async () => {
  page = await context.newPage();
  const fetched: string[] = [];
  page.on("requestfinished", (request) => fetched.push(new URL(request.url()).pathname));
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await mainElement().locator("[data-task]").first().waitFor();
  const prefetched = ["Board", "CommandPalette", "ActivityPlace", "Terminal", "MarkdownRenderer"];
  await waitUntil(
    () => prefetched.every((name) => fetched.some((path) => path.includes(`/${name}-`))),
    "the prefetched parts",
  );
  await fixture.killServer();
  await page.getByRole("alert").getByText("Offline since").waitFor();
  await page.locator('[data-view="board"]').click();
  await mainElement().locator('[data-task="T1.1"]').first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await fixture.startServer();
});
