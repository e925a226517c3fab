import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import type { Screen } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser, createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService([], { fill: (url) => createUsers(url, 2004) });
const withFields = startSharedService(['--fields', 'test/setup/own-fields.json', '--sample', '30']);

/** The first size is a laptop's at a zoom of 200 %. */
const SIZES = [
  [640, 400],
  [360, 640],
  [1280, 720],
] as const;

const countVisibleRows = ({ page }: ConsolePage): Promise<number> =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('tbody tr')].filter((row) => {
        const { left, top, bottom, height } = row.getBoundingClientRect();
        const [first, last] = [top + 2, bottom - 2].map((y) => document.elementFromPoint(left + 20, y));
        return height > 0 && row.contains(first ?? null) && row.contains(last ?? null);
      }).length,
  );

/** Scrolls as a person does, with the pointer over the list. */
async function scroll(page: Page): Promise<void> {
  const row = await page.locator('tbody tr').first().boundingBox();
  await page.mouse.move((row?.x ?? 0) + 300, (row?.y ?? 0) + 5);
  await page.mouse.wheel(0, 250);
}

describe.each(SIZES)('at %i × %i pixels', (width, height) => {
  const screen: Screen = { name: `${width}x${height}`, width, height, colorScheme: 'light' };

  test('five users are visible, and the count is not cut', async () => {
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await expect.poll(() => console.names()).toHaveLength(20);
    const total = page.getByTestId('total');
    await expect.poll(() => total.innerText()).toBe('2,004 in total');
    expect(await total.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
    await console.inspect('console-short-top');
    await scroll(page);
    await expect.poll(() => countVisibleRows(console)).toBeGreaterThanOrEqual(5);
    await console.inspect('console-short');
  });

  test('five users with all of their own fields are visible', async () => {
    await using console = await ConsolePage.open(browser, screen, withFields.url);
    const { page } = console;
    const names = ['nickname', 'memberNumber', 'plan', 'age', 'score', 'birthday', 'tags'];
    await page.evaluate(
      (columns) => localStorage.setItem('columns', JSON.stringify(columns)),
      names.map((name) => ({ name, isShown: true })),
    );
    await page.reload();
    await expect.poll(() => console.names()).toHaveLength(20);
    await scroll(page);
    await expect.poll(() => countVisibleRows(console)).toBeGreaterThanOrEqual(5);
    await console.inspect('console-short-fields');
  });

  test('a notice covers no focused field of an open user', async () => {
    const { id } = await createUser(withFields.url, `Edited ${width}`);
    await using console = await ConsolePage.open(browser, screen, `${withFields.url}/?user=${id}`);
    const { page } = console;
    await page.getByLabel(/^Name/).fill(`Renamed ${width}`);
    await page.keyboard.press('Enter');
    const notice = page.getByText(`Saved Renamed ${width}`);
    await notice.waitFor();
    const covered = await page.getByLabel('User', { exact: true }).evaluate(async (panel) => {
      const covered: (string | null | undefined)[] = [];
      for (const field of panel.querySelectorAll<HTMLInputElement>('input, select, textarea')) {
        field.focus();
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        const { left, top, bottom } = field.getBoundingClientRect();
        const isSeen = (y: number) => field.parentElement?.contains(document.elementFromPoint(left + 5, y));
        if (!isSeen(top + 2) || !isSeen(bottom - 2)) covered.push(field.labels?.[0]?.textContent);
      }
      return covered;
    });
    expect(covered).toEqual([]);
    expect(await notice.isVisible()).toBe(true);
    await console.inspect('console-short-notice');
  });

  test('another page begins with its first user, and the bar of a selection stays visible', async () => {
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await expect.poll(() => console.names()).toHaveLength(20);
    const [before] = await console.names();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(async () => (await console.names())[0]).not.toBe(before);
    const first = page.locator('tbody tr').first();
    await expect.poll(async () => (await first.boundingBox())?.y).toBeGreaterThan(0);
    await first.getByRole('checkbox').click();
    const bar = page.getByRole('region', { name: 'Selected users' });
    await expect.poll(async () => (await bar.boundingBox())?.y).toBeLessThan(height);
    await console.inspect('console-short-selection');
  });
});
