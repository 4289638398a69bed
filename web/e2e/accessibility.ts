/** Accessibility checks with axe, and screenshots. */

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENS = process.env["JANGDAN_SCREENS"];

type AxeViolation = {
  id: string;
  help: string;
  nodes: { target: string[]; failureSummary: string }[];
};

/** Waits for the transition between themes, whose intermediate colors may lack contrast. */
const TRANSITIONS_DONE = `new Promise(requestAnimationFrame).then(() => Promise.all(
  document.getAnimations()
    .filter((animation) => animation instanceof CSSTransition)
    .map(({ finished }) => finished.catch(() => {})),
)).then(() => {})`;

/** A menu is outside of the landmarks of the page, at the end of the document. */
const ISSUES = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
  .map((issue) => issue.id !== 'region' ? issue : {
    ...issue,
    nodes: issue.nodes.filter(({ target }) => document.querySelector(target[0])?.closest('#root')),
  })
  .filter(({ nodes }) => nodes.length > 0))`;

/** Returns the issues of every severity. */
export async function accessibilityIssues(page: Page): Promise<string[]> {
  await page.evaluate(TRANSITIONS_DONE);
  await page.evaluate(AXE);
  // Without it, a page that is still loading has no heading.
  await page.locator("h1").first().waitFor({ state: "attached" });
  const violations = await page.evaluate(ISSUES);
  return (violations as AxeViolation[]).map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}

/** Checks the open page in both themes, and leaves it in the light one. */
export async function accessibilityIssuesInBothThemes(page: Page): Promise<string[]> {
  const issues: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    issues.push(...(await accessibilityIssues(page)).map((issue) => `${colorScheme}: ${issue}`));
  }
  return issues;
}

/** Takes a screenshot if `JANGDAN_SCREENS` names a folder for them. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!SCREENS) return;
  mkdirSync(SCREENS, { recursive: true });
  await page.screenshot({ path: join(SCREENS, `${name}.png`) });
}
