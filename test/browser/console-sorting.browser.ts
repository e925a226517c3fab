import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

test.each(screens)('by name is not offered at $name if a setting disables it', async (screen) => {
  const limited = await startLocalService(['--memory', '--fields', 'test/setup/filter-fields.json'], {
    SORT_BY_NAME: 'off',
  });
  await createUser(limited.url, 'Berta', { seats: 30 });
  await using console = await ConsolePage.open(browser, screen, `${limited.url}/?sort=name&order=asc`);
  const { page } = console;
  await expect.poll(() => console.names()).toEqual(['Berta']);
  const orders = await page.getByLabel('Order').getByRole('option').allTextContents();
  expect(orders).toContain('Seats, lowest first');
  expect(orders.filter((label) => label.startsWith('Name'))).toEqual([]);
  const header = page.locator('th', { hasText: 'Name' });
  expect(await header.getByRole('button').count()).toBe(0);
  await console.inspect('console-no-name-order');
  await limited.stop();
});

describe.each(screens)('the order of the list at $name', (screen) => {
  const service = startSharedService(['--fields', 'test/setup/filter-fields.json'], {
    fill: async (url) => {
      await createUser(url, 'Berta', { seats: 30, plan: 'pro' });
      await createUser(url, 'Änne', { seats: 200 });
      await createUser(url, 'Carl', { plan: 'pro' });
      await createUser(url, 'Dora', { seats: 4, plan: 'team' });
    },
  });
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
  const expectNames = (console: ConsolePage, names: string[]) => expect.poll(() => console.names()).toEqual(names);

  testOnce(screen)('can be set by keyboard in the headers, which show its direction', async () => {
    await using console = await open();
    const { page } = console;
    await console.makeUnsteady();
    const readSorted = () =>
      page.locator('th[aria-sort]').evaluateAll((cells) => cells.map((cell) => `${cell.textContent} ${cell.ariaSort}`));
    await expectNames(console, ['Dora', 'Carl', 'Änne', 'Berta']);
    expect(await readSorted()).toEqual(['Created descending']);
    await console.tabTo('Name');
    await page.keyboard.press('Enter');
    await expectNames(console, ['Änne', 'Berta', 'Carl', 'Dora']);
    expect(await readSorted()).toEqual(['Name ascending']);
    await page.keyboard.press('Enter');
    await expectNames(console, ['Dora', 'Carl', 'Berta', 'Änne']);
    expect(await readSorted()).toEqual(['Name descending']);
    expect(await console.readFocus()).toBe('Name');
    expect(await page.getByLabel('Order').inputValue()).toBe('name desc');
    await console.tabTo('Created');
    await page.keyboard.press('Enter');
    await expectNames(console, ['Dora', 'Carl', 'Änne', 'Berta']);
    expect(new URL(page.url()).search).toBe('');
    // The service cannot sort by address.
    expect(await page.getByRole('columnheader', { name: 'Email' }).getByRole('button').count()).toBe(0);
    await page.goBack();
    await expectNames(console, ['Dora', 'Carl', 'Berta', 'Änne']);
  });

  test('by a field lists users without a value last, and combines with filters and search', async () => {
    await using console = await open();
    const { page } = console;
    await page.getByLabel('Order').selectOption('Seats, highest first');
    await expectNames(console, ['Änne', 'Berta', 'Dora', 'Carl']);
    expect(await page.getByTestId('total').textContent()).toBe('4 in total');
    await console.inspect('console-sorted');
    // The hidden column of ids must not make the list scroll.
    expect(await console.list.evaluate((area) => area.scrollWidth - area.clientWidth)).toBe(0);
    await console.clickButton('Filter by Plan');
    await page.getByRole('menuitemcheckbox', { name: 'pro' }).click();
    await page.keyboard.press('Escape');
    await expectNames(console, ['Berta', 'Carl']);
    await console.search.focus();
    await page.keyboard.type('ca', { delay: 40 });
    await expectNames(console, ['Carl']);
    expect(await page.getByLabel('Order').inputValue()).toBe('seats desc');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      q: 'ca',
      'filter.plan': 'pro',
      sort: 'seats',
      order: 'desc',
    });
  });

  testOnce(screen)('of each of two views with similar names is reached in the palette', async () => {
    await using console = await open('/?filter.plan=pro');
    const { page } = console;
    const save = async (name: string) => {
      await console.clickButton('View');
      await page.getByLabel('Name of this view').fill(name);
      await page.keyboard.press('Enter');
      await page.getByLabel('Name of this view').waitFor({ state: 'detached' });
    };
    await save('EU admins');
    await page.goto(`${service.url}/?sort=name`);
    await save('EU-admins');
    await page.goto(service.url);
    await expect.poll(() => console.names()).toHaveLength(4);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('eu', { delay: 40 });
    await page.getByRole('option', { name: 'Show the view EU-admins' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Show the view EU-admins', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=name');
  });

  test('is part of a view, which can be saved by name, opened and deleted', async () => {
    await using console = await open('/?filter.plan=pro&sort=name&order=desc');
    const { page } = console;
    await expectNames(console, ['Carl', 'Berta']);
    await console.clickButton('View');
    await page.getByRole('checkbox', { name: 'Version' }).check();
    await page.getByLabel('Name of this view').focus();
    await page.keyboard.type('Paying');
    await page.keyboard.press('Enter');
    await page.goto(service.url);
    await expect.poll(() => console.names()).toHaveLength(4);
    await console.clickButton('View');
    await page.getByRole('checkbox', { name: 'Version' }).uncheck();
    await console.inspect('console-views');
    await console.clickButton('Paying');
    await expectNames(console, ['Carl', 'Berta']);
    if (screen === screens[0]) await page.getByRole('columnheader', { name: 'Version' }).waitFor();
    expect(await page.getByLabel('Order').inputValue()).toBe('name desc');
    await page.goto(service.url);
    // The palette also shows saved views.
    await expect.poll(() => console.names()).toHaveLength(4);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pay', { delay: 40 });
    await page.getByRole('option', { name: 'Show the view Paying' }).waitFor();
    await page.keyboard.press('Enter');
    await expectNames(console, ['Carl', 'Berta']);
    await console.clickButton('View');
    await console.clickButton('Delete the view Paying');
    await page.locator('input:focus').and(page.getByLabel('Name of this view')).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('views'))).toBe('[]');
  });
});
