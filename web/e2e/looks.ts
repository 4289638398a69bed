/** What every view must be: usable by everybody, and good to look at. */

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENS = process.env["JANGDAN_SCREENS"];

type Finding = {
  id: string;
  impact: string;
  help: string;
  nodes: { target: string[]; failureSummary: string }[];
};

/** Colours that are on their way from one theme to the other are no one's. */
const AT_REST = `new Promise(requestAnimationFrame).then(() => Promise.all(
  document.getAnimations()
    .filter((moving) => moving instanceof CSSTransition)
    .map(({ finished }) => finished.catch(() => {})),
)).then(() => {})`;

/** Returns what is serious or critical, in words. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AT_REST);
  await page.evaluate(AXE);
  const found = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  );
  return (found as Finding[])
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    );
}

/** Looks at what is open in both themes, and stays in the light one. Returns what is serious or critical. */
export async function findingsInBoth(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findings(page)).map((finding) => `${colorScheme}: ${finding}`));
  }
  return found;
}

/** Keeps a picture of a view where pictures are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!SCREENS) return;
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: join(SCREENS, `${name}.png`) });
}
