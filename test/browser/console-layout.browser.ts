import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService([], { fill: (url) => createUsers(url, 45) });

describe.each(screens)('the layout at $name', (screen) => {
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);

  test('does not shift while the first view loads', async () => {
    await using console = await open();
    const { page } = console;
    await page.addInitScript(() => {
      new PerformanceObserver((list) => {
        // TypeScript's library lacks this type.
        for (const entry of list.getEntries() as (PerformanceEntry & { sources: { node?: Element }[] })[])
          for (const { node } of entry.sources) document.title += ` shifted: ${node?.outerHTML.slice(0, 120)}`;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.reload();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await page.locator('tbody a').first().waitFor({ state: 'attached' });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(await page.title()).toBe('Users');
  });

  test('keeps notices above the bar of selected users', async () => {
    await using console = await open();
    const { page } = console;
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('Space');
    const bar = page.getByRole('region', { name: 'Selected users' });
    await bar.waitFor();
    await page.keyboard.press('l');
    const notice = page.getByText('Copied the link');
    await notice.waitFor();
    await console.inspect('console-notice-above-selection');
    const [over, under] = [await notice.boundingBox(), await bar.boundingBox()];
    expect((over?.y ?? 0) + (over?.height ?? 0)).toBeLessThanOrEqual(under?.y ?? 0);
  });

  testOnce(screen)('keeps the pages while the next one cannot be read', async () => {
    await using console = await open();
    const { page } = console;
    await page.locator('tbody a').first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Page 2 of 3' }).click();
    await page.getByRole('region', { name: 'Outage' }).waitFor();
    await console.waitForList();
    await page.getByText('Page 2 is not loaded yet').waitFor();
    await console.inspect('console-pager-offline');
    await page.getByRole('button', { name: 'Page 1 of 3' }).click();
    await expect.poll(() => console.names()).toHaveLength(20);
    await page.getByRole('button', { name: 'Page 3 of 3' }).click();
    await page.context().setOffline(false);
    await expect.poll(() => console.names()).toHaveLength(5);
    await page.getByText('41–45 of 45').waitFor();
  });

  testOnce(screen)('keeps a notice below the list and the numbers of its pages', async () => {
    await using console = await open();
    const { page } = console;
    await page.locator('tbody a').first().click();
    await page.getByRole('complementary', { name: 'User' }).waitFor();
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('l');
    const notice = page.getByRole('status').filter({ hasText: 'Copied' });
    const measure = async (locator: Locator) => (await locator.boundingBox()) ?? expect.unreachable();
    const list = await measure(console.list);
    const last = await measure(page.getByRole('button', { name: 'Next page' }));
    // The notice moves in from the left.
    await expect.poll(async () => (await measure(notice)).x).toBeGreaterThan(last.x + last.width);
    const { x, y, width } = await measure(notice);
    expect(y).toBeGreaterThan(list.y + list.height);
    expect(x + width).toBeLessThan(list.x + list.width);
  });
});
