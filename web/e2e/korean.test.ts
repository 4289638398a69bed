import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunFixture, startRunFixture, waitUntil } from "./fixture.ts";

let fixture: RunFixture;
let context: BrowserContext;
let page: Page;

const pageUrl = (path: string) => `${fixture.origin}${path.replace("RUN", fixture.run)}`;
const questionOfTask = async (task: string) =>
  (await fixture.rows("question")).find((row) => row.task === task);
const selectedEntryKey = () => page.locator("[data-selected] [data-entry]").getAttribute("data-entry");
const dispatchKeydown = (key: string, code: string) =>
  page.evaluate(
    ([key, code]) => document.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true })),
    [key, code] as const,
  );

beforeAll(async () => {
  fixture = await startRunFixture();
  await waitUntil(async () => (await fixture.rows("inbox")).length === 2, "two questions at once");
  context = await fixture.newContext({ locale: "ko" });
  page = await context.newPage();
});

afterAll(async () => {
  await fixture?.stop();
});

test("the timeline is in Korean, and text of agents is not translated", async () => {
  await page.goto(pageUrl("/runs/RUN/activity?detail=true"));
  const latest = (await fixture.rows("timeline")).at(-1);
  expect(latest?.korean).toMatch(/[가-힣]/);
  await page
    .getByText(latest?.korean ?? "", { exact: true })
    .first()
    .waitFor();
  const english = (await fixture.rows("timeline")).map(({ text }) => text);
  const shown = await page.locator("main section li").allInnerTexts();
  for (const line of shown)
    for (const text of english) expect(line.includes(text), `${text} in ${line}`).toBe(false);
  await page.getByRole("button", { name: "질문", exact: true }).click();
  await page.getByText(/의 질문 q_\d: In which order should the API list tasks\?/).waitFor();
});

test("a task's events and the chat are in Korean", async () => {
  await page.goto(pageUrl("/runs/RUN/tasks/T1.1?tab=events"));
  await page.getByText(/^\S+ 에이전트가 T1\.1 작업을 시작했습니다/).waitFor();
  await page.goto(pageUrl("/runs/RUN/activity"));
  await page
    .getByText(/실행 시작: /)
    .first()
    .waitFor();
});

test("an error has a Korean title and the server's details, and is closed without closing the dialog below it", async () => {
  await page.goto(pageUrl("/runs/RUN/tasks/T3.1"));
  const sendCommand = (command: object) =>
    fixture.post(`/api/runs/${fixture.run}/commands`, { person: "bea", command });
  await page.route("**/commands", async (route) => {
    // Another person is faster.
    await sendCommand({ pauseTask: "T3.1" });
    await route.continue();
  });
  await page.getByRole("button", { name: "일시 정지" }).last().click();
  const alert = page.getByRole("alert");
  await alert.getByText("현재 작업 상태에서는 할 수 없습니다").waitFor();
  expect(await alert.locator("p").count()).toBeGreaterThan(1);
  // The click fails if another element covers the alert.
  await alert.getByRole("button", { name: "닫기" }).click();
  await alert.waitFor({ state: "detached" });
  await page.getByRole("dialog").getByText("T3.1").first().waitFor();
  // A task that has not started has no checkpoint.
  await page.getByRole("button", { name: "더 보기" }).click();
  await page.getByRole("menuitem", { name: "작업 건너뛰기…" }).waitFor();
  expect(await page.getByRole("menuitem", { name: "체크포인트 만들기" }).count()).toBe(0);
  await page.unroute("**/commands");
  await sendCommand({ continueTask: "T3.1" });
});

test("Enter on a button presses the button, even if the inbox has shortcuts", async () => {
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.locator("[data-selected]").waitFor();
  await page.locator('[data-place="work"]').focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => page.url() === pageUrl("/runs/RUN/work"), "the place of the tab");
});

test("shortcuts work with a Hangul keyboard", async () => {
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.locator("[data-selected]").waitFor();
  const first = await selectedEntryKey();
  await dispatchKeydown("ㅓ", "KeyJ");
  await waitUntil(async () => (await selectedEntryKey()) !== first, "the next card");
  await dispatchKeydown("Process", "KeyK");
  await waitUntil(async () => (await selectedEntryKey()) === first, "the first card again");
});

test("a number key does not answer a question behind a sheet, or one that is not visible", async () => {
  await page.goto(pageUrl("/runs/RUN/needs-you"));
  await page.locator("[data-selected]").waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "단축키" });
  await help.getByText("해당 번호의 답변 선택").waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  // The tasks have no options.
  await page.goto(pageUrl("/runs/RUN/work?view=list"));
  await page.locator("main li").first().waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("?");
  await help.waitFor();
  expect(await help.getByText("해당 번호의 답변 선택").count()).toBe(0);
  await page.keyboard.press("Escape");
  // Loading another view gives a wrongly sent command time to take effect.
  await page.goto(pageUrl("/runs/RUN/activity"));
  for (const task of ["T1.1", "T1.3"]) expect((await questionOfTask(task))?.status, task).toBe("pending");
});

test("the tab counts inbox entries, and a notification opens the new one", async () => {
  await context.grantPermissions(["notifications"], { origin: fixture.origin });
  // One tab notifies for all: here it must be `away`.
  await page.goto("about:blank");
  const [away, busy] = [await context.newPage(), await context.newPage()];
  // A headless browser reports every page as focused and shows no notifications, so both are replaced.
  await busy.addInitScript(`
    document.hasFocus = () => false;
    window.Notification = class { static permission = "denied"; };
  `);
  await away.addInitScript(`
    document.hasFocus = () => false;
    window.notifications = [];
    window.Notification = class { static permission = "granted"; constructor(title, options) { window.notifications.push(Object.assign(this, { title, ...options })); } close() {} };
  `);
  await away.goto(pageUrl("/"));
  await waitUntil(async () => (await away.title()) === "(2) Jangdan", "the count in the title");
  const icon = () => away.locator('link[rel="icon"]').getAttribute("href");
  expect(decodeURIComponent((await icon()) ?? "")).toContain(">2</text>");
  expect(await away.evaluate("window.notifications.length")).toBe(0);
  for (const task of ["T1.1", "T1.3"]) {
    await busy.goto(pageUrl(`/runs/RUN/tasks/${task}`));
    await busy.getByRole("dialog").locator('[data-option="1"]').click();
    await waitUntil(async () => (await questionOfTask(task))?.answer, `the answer of ${task}`);
  }
  await waitUntil(() => away.evaluate("window.notifications.length > 0"), "a notification of the next entry");
  const entry = await waitUntil(async () => (await fixture.rows("inbox"))[0], "the next entry");
  expect(await away.evaluate("window.notifications[0].body")).toBe(entry.korean ?? entry.text);
  await waitUntil(async () => /\(\d+\) .*Jangdan/.test(await away.title()), "the count in the title");
  await away.evaluate("window.notifications[0].onclick()");
  await waitUntil(() => away.url().includes(`/runs/${fixture.run}/`), "the run of the notification");
  await Promise.all([away.close(), busy.close()]);
});

test("notifications are turned off", async () => {
  await page.goto(pageUrl("/"));
  const item = () => page.getByRole("menuitemcheckbox", { name: /알림 받기/ });
  await page.getByRole("button", { name: "설정" }).click();
  await waitUntil(
    async () => (await item().getAttribute("aria-checked")) === "true",
    "notifications to be on",
  );
  await item().click();
  await page.getByRole("button", { name: "설정" }).click();
  await waitUntil(
    async () => (await item().getAttribute("aria-checked")) === "false",
    "notifications to be off",
  );
  expect(await page.evaluate("localStorage.getItem('jangdan.calls')")).toBe("off");
});
