import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest();

const open = (screen: Screen, path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
async function deleteOnly(console: ConsolePage): Promise<void> {
  await console.page.locator('td [type="checkbox"]').first().click();
  await console.page.getByRole('region', { name: 'Selected users' }).getByRole('button', { name: 'Delete' }).click();
}

describe.each(screens)('an emptied page of the list at $name', (screen) => {
  test('of a search links to the previous page', async () => {
    for (let number = 1; number <= 21; number += 1) await createUser(service.url, `Match ${number}`);
    await using console = await open(screen, '/?q=match');
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.clickButton('Next');
    await expect.poll(() => console.names()).toHaveLength(1);
    await deleteOnly(console);
    await console.page.getByText('This page is empty').waitFor();
    expect(await console.page.getByText('No user matches').count()).toBe(0);
    await console.clickButton('Dismiss');
    await console.page.getByText('This page is empty').waitFor();
    await console.inspect('console-emptied-page');
    await console.clickButton('Go to the previous page');
    await expect.poll(() => console.names()).toHaveLength(20);
  });
});

describe.each(screens.slice(0, 1))('the list', (screen) => {
  test('links to the next page after all users of the first were deleted', async () => {
    await createUsers(service.url, 21);
    await using console = await open(screen);
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.page.getByRole('checkbox', { name: 'Select all users of this page' }).click();
    await console.clickButton('Delete');
    await console.clickButton('Delete 20 users');
    await console.clickButton('Go to the next page');
    await expect.poll(() => console.names()).toEqual(['Ada Lovelace 1']);
  });

  test('hides the order by creation while matches are sorted by the matched word', async () => {
    await createUsers(service.url, 3);
    await using console = await open(screen);
    const orders = console.page.getByLabel('Order').getByRole('option');
    const all = ['Newest first', 'Oldest first', 'Name, A to Z', 'Name, Z to A'];
    await expect.poll(() => orders.allTextContents()).toEqual(all);
    await console.search.fill('a');
    await console.page.getByText('One more character').waitFor();
    // All orders remain, because one character is too short for a search.
    expect(await orders.allTextContents()).toEqual(all);
    await console.search.fill('al');
    await expect.poll(() => orders.allTextContents()).toEqual(['By matched word', ...all.slice(2)]);
    await console.inspect('console-search-order');
    await console.search.fill('');
    await expect.poll(() => orders.allTextContents()).toEqual(all);
  });

  test.each([1, 1.25, 1.5])('has unbroken lines between its rows at %d device pixels per pixel', async (scale) => {
    const users = await createUsers(service.url, 12);
    const context = await browser.newContext({ viewport: screen, deviceScaleFactor: scale, colorScheme: 'light' });
    try {
      const page = await context.newPage();
      await page.goto(`${service.url}/?user=${users[5]?.id}`);
      await page.getByRole('tab', { name: 'Posts' }).waitFor();
      await page.mouse.move(0, 0);
      const heights = await page
        .locator('tr')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      expect(heights.filter((height) => !Number.isInteger(height))).toEqual([]);
      const cells = await page.locator('tbody tr').nth(1).locator('td:visible').all();
      const [first, ...others] = await Promise.all(cells.map((cell) => findLines(page, cell)));
      expect(first?.length).toBeGreaterThan(5);
      for (const lines of others) expect(lines).toEqual(first);
    } finally {
      await context.close();
    }
  });
});

/** y positions of the lines between rows, in a pixel column without text. */
async function findLines(page: Page, cell: Locator): Promise<number[]> {
  const [area, box] = await Promise.all([page.locator('table').boundingBox(), cell.boundingBox()]);
  if (!area || !box) throw new Error('The table is not shown');
  const x = box.x + box.width - 4;
  const clip = { x: Math.round(x), y: Math.round(area.y) + 2, width: 1, height: 400 };
  const image = (await page.screenshot({ clip, scale: 'device' })).toString('base64');
  // The console's content security policy forbids decoding images in its page.
  const reader = await page.context().newPage();
  const lines = await reader.evaluate(async (source) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context?.drawImage(picture, 0, 0);
    const { data } = context?.getImageData(0, 0, 1, picture.height) ?? { data: [] };
    return Array.from({ length: picture.height }, (_, y) => y).filter((y) => {
      const [red = 0] = data.slice(4 * y, 4 * y + 1);
      return red > 190 && red < 245;
    });
  }, `data:image/png;base64,${image}`);
  await reader.close();
  return lines;
}
