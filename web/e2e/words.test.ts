import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWorld, until, type World } from "./world.ts";

let world: World;
let context: BrowserContext;
let page: Page;

const at = (path: string) => `${world.origin}${path.replace("RUN", world.run)}`;
const question = async (task: string) => (await world.rows("question")).find((row) => row.task === task);
const chosen = () => page.locator("[data-chosen] [data-waiting]").getAttribute("data-waiting");
const press = (key: string, code: string) =>
  page.evaluate(
    ([key, code]) => document.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true })),
    [key, code] as const,
  );

beforeAll(async () => {
  world = await startWorld();
  await until(async () => (await world.rows("inbox")).length === 2, "two questions at once");
  context = await world.visitor({ locale: "ko" });
  page = await context.newPage();
});

afterAll(async () => {
  await world?.end();
});

test("the timeline speaks Korean, and what somebody wrote stays as it was", async () => {
  await page.goto(at("/runs/RUN/timeline"));
  const latest = (await world.rows("timeline")).at(-1);
  expect(latest?.korean).toMatch(/[가-힣]/);
  await page
    .getByText(latest?.korean ?? "", { exact: true })
    .first()
    .waitFor();
  const english = (await world.rows("timeline")).map(({ text }) => text);
  const shown = await page.locator("main section li").allInnerTexts();
  for (const line of shown)
    for (const text of english) expect(line.includes(text), `${text} in ${line}`).toBe(false);
  await page.getByRole("button", { name: "질문", exact: true }).click();
  await page.getByText(/세션의 q_\d 질문: In which order shall the menu be\?/).waitFor();
});

test("so do a task's events and the chat", async () => {
  await page.goto(at("/runs/RUN/tasks/T1.1?tab=events"));
  await page.getByText(/^T1\.1 작업을 \S+ 에이전트가 시작함/).waitFor();
  await page.goto(at("/runs/RUN/chat"));
  await page.getByText(/실행이 시작됨/).waitFor();
});

test("a problem has a Korean title and the server's details, above every dialog, and is put away alone", async () => {
  await page.goto(at("/runs/RUN/tasks/T3.1"));
  const wish = (wish: object) => world.send(`/api/runs/${world.run}/wishes`, { person: "bea", wish });
  await page.route("**/wishes", async (route) => {
    // Somebody else is quicker.
    await wish({ pauseTask: "T3.1" });
    await route.continue();
  });
  await page.getByRole("button", { name: "일시 정지" }).last().click();
  const problem = page.getByRole("alert");
  await problem.getByText("지금은 할 수 없습니다").waitFor();
  expect(await problem.locator("p").count()).toBeGreaterThan(1);
  // Fails where something lies above it.
  await problem.getByRole("button", { name: "닫기" }).click();
  await problem.waitFor({ state: "detached" });
  await page.getByRole("dialog").getByText("T3.1").first().waitFor();
  // What never began has nothing to keep, and can't be tried again.
  await page.getByRole("button", { name: "더 보기" }).click();
  await page.getByRole("menuitem", { name: "건너뛰기…" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "되돌아갈 지점 남기기" }).count()).toBe(0);
  await page.unroute("**/wishes");
  await wish({ continueTask: "T3.1" });
});

test("Enter on a button is the button's, also where the inbox has keys", async () => {
  await page.goto(at("/runs/RUN/list"));
  await page.locator("[data-chosen]").waitFor();
  await page.locator('[data-view="board"]').focus();
  await page.keyboard.press("Enter");
  await until(() => page.url() === at("/runs/RUN/board"), "the view of the tab");
});

test("keys work on a keyboard that writes Hangul", async () => {
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("[data-chosen]").waitFor();
  const first = await chosen();
  await press("ㅓ", "KeyJ");
  await until(async () => (await chosen()) !== first, "the next card");
  await press("Process", "KeyK");
  await until(async () => (await chosen()) === first, "the first card again");
});

test("no number answers what lies behind a sheet, or is not shown at all", async () => {
  await page.goto(at("/runs/RUN/inbox"));
  await page.locator("[data-chosen]").waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "단축키" });
  await help.getByText("그 번호의 답 고르기").waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  // Too narrow for the inbox beside the view.
  await page.setViewportSize({ width: 1100, height: 700 });
  await page.goto(at("/runs/RUN/list"));
  await page.locator("main li").first().waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("?");
  await help.waitFor();
  expect(await help.getByText("그 번호의 답 고르기").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1280, height: 800 });
  // A wish that was sent would have been heard before one that is sent now.
  await page.goto(at("/runs/RUN/chat"));
  for (const task of ["T1.1", "T1.3"]) expect((await question(task))?.status, task).toBe("pending");
});

test("the browser calls who looks elsewhere, the tab counts, and the call leads to what waits", async () => {
  await context.grantPermissions(["notifications"], { origin: world.origin });
  // One tab calls for all: here it is the one that is away.
  await page.goto("about:blank");
  const [away, busy] = [await context.newPage(), await context.newPage()];
  // A browser without a screen believes that somebody looks at every page, and shows no call.
  await busy.addInitScript(`
    document.hasFocus = () => false;
    window.Notification = class { static permission = "denied"; };
  `);
  await away.addInitScript(`
    document.hasFocus = () => false;
    window.calls = [];
    window.Notification = class { static permission = "granted"; constructor(title, options) { window.calls.push(Object.assign(this, { title, ...options })); } close() {} };
  `);
  await away.goto(at("/"));
  await until(async () => (await away.title()) === "(2) Jangdan", "the count in the title");
  const icon = () => away.locator('link[rel="icon"]').getAttribute("href");
  expect(decodeURIComponent((await icon()) ?? "")).toContain(">2</text>");
  expect(await away.evaluate("window.calls.length")).toBe(0);
  for (const task of ["T1.1", "T1.3"]) {
    await busy.goto(at(`/runs/RUN/tasks/${task}`));
    await busy.getByRole("dialog").locator('[data-option="1"]').click();
    await until(async () => (await question(task))?.answer, `the answer of ${task}`);
  }
  await until(() => away.evaluate("window.calls.length > 0"), "a call about what waits next");
  const waits = await until(async () => (await world.rows("inbox"))[0], "what waits next");
  expect(await away.evaluate("window.calls[0].body")).toBe(waits.korean ?? waits.text);
  await until(async () => /\(\d+\) Jangdan/.test(await away.title()), "the count in the title");
  await away.evaluate("window.calls[0].onclick()");
  await until(() => away.url().includes(`/runs/${world.run}/`), "the run that calls");
  await Promise.all([away.close(), busy.close()]);
});

test("calls are switched off again", async () => {
  await page.goto(at("/"));
  const item = () => page.getByRole("menuitemcheckbox", { name: /브라우저로 알리기/ });
  await page.getByRole("button", { name: "설정" }).click();
  await until(async () => (await item().getAttribute("aria-checked")) === "true", "calls that are on");
  await item().click();
  await page.getByRole("button", { name: "설정" }).click();
  await until(async () => (await item().getAttribute("aria-checked")) === "false", "calls that are off");
  expect(await page.evaluate("localStorage.getItem('jangdan.calls')")).toBe("off");
});
