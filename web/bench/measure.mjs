/**
 * The browser of `cargo xtask bench web`: reads one command per line, and prints each measurement as a line of JSON.
 *
 * It opens the page of a real server. The benchmark itself changes the run.
 */

import { get } from "node:http";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const [link = "", run = ""] = process.argv.slice(2);
const { origin } = new URL(link);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-background-networking", "--disable-gpu"],
});

// A link signs in one browser, once: the contexts share its cookie.
const signIn = await browser.newContext();
await signIn.request.get(link, { maxRedirects: 0 });
const storageState = await signIn.storageState();
await signIn.close();

/** A browser context that is signed in and has an empty cache. */
const newContext = () =>
  browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en", storageState });

/** The compressed size of a response in bytes. */
function compressedBytes(url) {
  return new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": "gzip" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (piece) => {
        bytes += piece.length;
      });
      answer.on("end", () => resolve(bytes));
    }).on("error", reject);
  });
}

/** The size of the files that a page loads, by type, in KB. */
async function load(path) {
  const context = await newContext();
  const page = await context.newPage();
  const files = new Map();
  let loadedAt = 0;
  page.on("response", (answer) => {
    const kind = answer.request().resourceType();
    if (answer.url().includes("/api/")) return;
    files.set(answer.url(), kind);
    loadedAt = performance.now();
  });
  await page.goto(origin + path);
  await page.locator("main").first().waitFor();
  if (path !== "/") await page.locator("[data-task]").first().waitFor();
  // Until nothing is loaded for half a second; what the page loads ahead comes later.
  while (performance.now() - loadedAt < 500) await page.waitForTimeout(100);
  await context.close();
  const kb = { document: 0, script: 0, stylesheet: 0, font: 0, other: 0 };
  for (const [url, kind] of files) kb[kind in kb ? kind : "other"] += (await compressedBytes(url)) / 1000;
  return kb;
}

let open = null;

/** Opens the canvas with an empty cache, and measures when it is ready. */
async function canvas() {
  await open?.context.close();
  const context = await newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    // Ready means that a card and an edge are painted.
    const look = () => {
      if (document.querySelector("[data-task]") && document.querySelector(".react-flow__edge"))
        requestAnimationFrame(() => {
          globalThis.readyMs = performance.now();
        });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(`${origin}/runs/${run}/work?view=graph`);
  await page.waitForFunction(() => globalThis.readyMs !== undefined);
  const cdp = await context.newCDPSession(page);
  open = { context, page, cdp };
  return page.evaluate(() => ({
    readyMs: globalThis.readyMs,
    nTasks: document.querySelectorAll(".react-flow__node-task").length,
  }));
}

async function fitPlan() {
  await open.page.locator("section.canvas").focus();
  await open.page.keyboard.press("0");
  await open.page.waitForTimeout(2000);
}

/** Unfolds all phases, and zooms out to the whole plan. */
async function whole() {
  await fitPlan();
  await open.page.evaluate(async () => {
    const folded = () => document.querySelector('section.canvas .react-flow__nodes [aria-expanded="false"]');
    for (let button = folded(); button; button = folded()) {
      button.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await fitPlan();
  return open.page.evaluate(() => ({
    nTasks: document.querySelectorAll(".react-flow__node-task").length,
  }));
}

/** Starts to record the time of each frame, and long tasks. */
async function watch() {
  return open.page.evaluate(() => {
    const noted = { frames: [], tasks: [], nDrawn: 0, since: performance.now(), isOver: false };
    globalThis.noted = noted;
    let last = performance.now();
    const frame = (now) => {
      noted.frames.push(now - last);
      last = now;
      if (!noted.isOver) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    noted.observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) noted.tasks.push(entry.duration);
    });
    noted.observer.observe({ type: "longtask" });
    noted.drawn = new MutationObserver((changes) => {
      noted.nDrawn += changes.length;
    });
    const nodes = document.querySelector(".react-flow__nodes");
    noted.drawn.observe(nodes, { subtree: true, attributes: true, childList: true, characterData: true });
    return {};
  });
}

/** Returns the recorded measurements. */
async function watched() {
  return open.page.evaluate(() => {
    const { noted } = globalThis;
    noted.isOver = true;
    noted.observer.disconnect();
    noted.drawn.disconnect();
    const seconds = (performance.now() - noted.since) / 1000;
    const sorted = noted.frames.slice(2).sort((left, right) => left - right);
    const at = (share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
    return {
      seconds,
      framesPerSecond: sorted.length / seconds,
      p50: at(0.5),
      p90: at(0.9),
      p95: at(0.95),
      p99: at(0.99),
      max: at(1),
      over50: sorted.filter((ms) => ms > 50).length / seconds,
      over100: sorted.filter((ms) => ms > 100).length / seconds,
      longTasks: noted.tasks.length / seconds,
      longTasksOver100: noted.tasks.filter((ms) => ms > 100).length / seconds,
      longestTask: Math.max(0, ...noted.tasks),
      drawn: noted.nDrawn / seconds,
    };
  });
}

/** The memory of the page after garbage collection. */
async function heap() {
  await open.page.waitForTimeout(500);
  await open.cdp.send("HeapProfiler.collectGarbage");
  await open.cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await open.cdp.send("Runtime.getHeapUsage");
  return { megabytes: usedSize / 1e6 };
}

const commands = { load, canvas, whole, watch, watched, heap };
for await (const line of createInterface({ input: process.stdin })) {
  const [name = "", ...args] = line.split(" ");
  const result = await commands[name](...args);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
await browser.close();
