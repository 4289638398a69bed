import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asks, startWorld, until, type World } from "./world.ts";

let world: World;
let context: BrowserContext;
let page: Page;

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const main = () => page.locator("main");

beforeAll(async () => {
  world = await startWorld({ ada: asks("What does ada want?") });
  await until(async () => (await world.rows("inbox")).length > 0, "a question");
  context = await world.visitor();
  page = await context.newPage();
});

afterAll(async () => {
  await world?.end();
});

test("a card whose question can't be had says so, and has it when somebody tries again", async () => {
  const path = /\/rows\?.*kind=question\b/;
  const problem = { code: "broken", title: "Something broke", detail: "the disk is on fire", hint: "" };
  await page.route(path, (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await page.goto(at("/"));
  const card = main().locator("article").first();
  await card.getByText("the disk is on fire").waitFor();
  await page.unroute(path);
  await card.getByRole("button", { name: "Try again" }).click();
  await card.locator("[data-option]").first().waitFor();
});

test("what was never shown can't be fetched without the server, and nothing else goes away", async () => {
  // Nothing is fetched ahead here.
  await page.addInitScript("window.requestIdleCallback = () => 0");
  await page.goto(at("/runs/RUN/inbox"));
  const box = main().locator("textarea").first();
  await box.fill("something that I thought about for long");
  await world.killServer();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("body").press("Control+k");
  await page.locator("[data-toasts]").getByText("This part of the page could not be loaded.").waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.locator("[data-toasts]").getByText("could not be loaded").nth(1).waitFor();
  await page.locator('[data-view="board"]').click();
  await main().getByText("This part of the page could not be loaded.").waitFor();
  await main().getByRole("button", { name: "Try again" }).click();
  await main().getByText("This part of the page could not be loaded.").waitFor();
  await page.locator('[data-view="inbox"]').click();
  expect(await box.inputValue()).toBe("something that I thought about for long");
  await page.locator('[data-view="board"]').click();
  await main().getByText("This part of the page could not be loaded.").waitFor();
  await page.evaluate("globalThis.isSame = true");
  await world.startServer();
  // By itself, and without a new page.
  await main().locator('[data-task="T1.1"]').first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await page.keyboard.press("Escape");
  expect(await page.evaluate("globalThis.isSame")).toBe(true);
});

test("what was fetched ahead is there without the server", async () => {
  page = await context.newPage();
  const fetched: string[] = [];
  page.on("requestfinished", (request) => fetched.push(new URL(request.url()).pathname));
  await page.goto(at("/runs/RUN/list"));
  await main().locator("[data-task]").first().waitFor();
  const ahead = ["Board", "Palette", "Chat", "Terminal", "MarkdownText"];
  await until(() => ahead.every((name) => fetched.some((path) => path.includes(`/${name}-`))), "the rest");
  await world.killServer();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  await page.locator('[data-view="board"]').click();
  await main().locator('[data-task="T1.1"]').first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").waitFor();
  await world.startServer();
});
