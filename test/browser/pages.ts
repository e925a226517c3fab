import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';

export type Screen = { name: string; width: number; height: number; colorScheme: 'light' | 'dark' };

/** The screens cover both widths and both color schemes. */
export const screens: Screen[] = [
  { name: '1280', width: 1280, height: 800, colorScheme: 'light' },
  { name: '390', width: 390, height: 844, colorScheme: 'dark' },
];

/** For tests that do not depend on the screen. */
export const testOnce = (screen: Screen) => test.runIf(screen === screens[0]);

const SCREENSHOTS = '.screenshots';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type OpenPage = { page: Page; problems: string[]; [Symbol.asyncDispose](): Promise<void> };

/** Collects errors, warnings, and requests to other machines. */
export async function openPage(
  browser: Browser,
  { width, height, colorScheme }: Screen,
  url: string,
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // Earlier than the time limit of the test, so that the error names the step.
  context.setDefaultTimeout(800 * Number(process.env.TEST_TIME_LIMIT_SECONDS ?? 60));
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Ignores failed responses, which tests provoke.
    const isResponse = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isResponse) problems.push(message.text());
  });
  const { origin } = new URL(url);
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) problems.push(request.url());
  });
  await page.goto(url);
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

/** Takes a screenshot. Checks accessibility, width, and collected problems. */
export async function inspect({ page, problems }: OpenPage, screen: Screen, state: string): Promise<void> {
  const shown = `${state}-${screen.name}`;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await waitForTransitions(page);
  await page.screenshot({ path: `${SCREENSHOTS}/${shown}.png` });
  expect(await findViolations(page), shown).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, `${shown} scrolls sideways`).toBeLessThanOrEqual(0);
  expect(problems).toEqual([]);
}

/** Waits two frames first, because nested transitions start up to two frames later. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() => !document.getAnimations().some((animation) => animation instanceof CSSTransition));
}

/** True if the selection bar, or the list's edge, covers half of a checkbox. */
const isCutOff = (rule: string, html: string): boolean => rule === 'target-size' && html.includes('type="checkbox"');

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const run = 'axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })';
  const { violations } = await page.evaluate<AxeResults>(run);
  return violations.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ html }) => !isCutOff(id, html))
      .map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}
