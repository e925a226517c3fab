import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import type { Screen } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers, renameUser, type User } from './users.ts';

const LONG_NAME = 'Wolfeschlegelsteinhausen Bergerdorff Senior';

/** A 1366 × 768 laptop without the browser's bars. */
const laptop: Screen = { name: '1366', width: 1366, height: 657, colorScheme: 'light' };

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

let users: User[];
const service = startServicePerTest([], {
  fill: async (url) => {
    users = await createUsers(url, 60);
  },
});

const open = (screen: Screen, path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);

/** Counts the fully visible rows. */
const countVisibleRows = ({ page }: ConsolePage): Promise<number> =>
  page.evaluate(() => {
    const [area, head] = ['[aria-label="Users"]', 'thead'].map((selector) =>
      document.querySelector(selector)?.getBoundingClientRect(),
    );
    return [...document.querySelectorAll('tbody tr')].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= (head?.bottom ?? 0) - 1 && bottom <= (area?.bottom ?? 0);
    }).length;
  });

test('shows ten users at 1366 × 657, fourteen in compact rows, and keeps the choice', async () => {
  await using console = await open(laptop);
  await expect.poll(() => console.names()).toHaveLength(20);
  expect(await countVisibleRows(console)).toBeGreaterThanOrEqual(10);
  await console.clickButton('View');
  await console.page.getByRole('switch', { name: 'Compact rows' }).press('Space');
  await console.inspect('console-view');
  await console.page.keyboard.press('Escape');
  await console.page.reload();
  await expect.poll(() => console.names()).toHaveLength(20);
  expect(await countVisibleRows(console)).toBeGreaterThanOrEqual(14);
});

test('shows version and last change in columns, and updates them', async () => {
  await using console = await open(laptop);
  await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await console.clickButton('View');
  await console.page.getByRole('checkbox', { name: 'Version' }).press('Space');
  await console.page.getByRole('checkbox', { name: 'Updated' }).press('Space');
  await console.page.keyboard.press('Escape');
  const user = users.at(-1) as User;
  const row = console.page
    .getByRole('row')
    .filter({ has: console.page.getByRole('link', { name: user.name, exact: true }) });
  const version = row.getByRole('cell').nth(5);
  await expect.poll(() => version.textContent()).toBe('1');
  await row.getByRole('cell').nth(4).getByText('just now').waitFor();
  await renameUser(service.url, user.id, 'Renamed');
  await console.page.getByRole('link', { name: 'Renamed' }).waitFor();
  const renamed = console.page.getByRole('row').filter({ hasText: 'Renamed' }).getByRole('cell').nth(5);
  await expect.poll(() => renamed.textContent()).toBe('2');
  await console.inspect('console-columns');
  // After a reload, the console reads the versions again, because lists do not contain them.
  await console.page.reload();
  await expect.poll(() => renamed.textContent()).toBe('2');
});

test('the activity opens below the list, and its height can be set by mouse or keys and is kept', async () => {
  await using console = await open(laptop);
  const dock = console.page.getByRole('region', { name: 'Activity' });
  const readHeight = async () => (await dock.boundingBox())?.height ?? 0;
  expect(await readHeight()).toBeLessThan(50);
  await console.showActivity('Changes');
  const splitter = console.page.getByRole('separator', { name: 'Height of the list' });
  const before = await readHeight();
  await splitter.press('ArrowUp');
  await expect.poll(readHeight).toBeGreaterThan(before);
  await splitter.press('End');
  await expect.poll(readHeight).toBeLessThan(before);
  await splitter.press('Home');
  await expect.poll(readHeight).toBeGreaterThan((657 - 52) * 0.79);
  await console.inspect('console-dock');
  const box = await splitter.boundingBox();
  await console.page.mouse.move(600, (box?.y ?? 0) + 4);
  await console.page.mouse.down();
  await console.page.mouse.move(600, 300, { steps: 4 });
  await console.page.mouse.up();
  // 8 pixels are about a percent of the window.
  await expect.poll(async () => Math.abs(657 - (await readHeight()) - 300)).toBeLessThan(8);
  const dragged = await readHeight();
  await console.page.reload();
  await expect.poll(readHeight).toBe(dragged);
  await console.clickButton('Hide activity');
  await console.page.reload();
  await console.page.getByRole('button', { name: 'Show activity' }).waitFor();
  expect(await readHeight()).toBeLessThan(50);
});

test('copies the cursor of the latest change', async () => {
  await using console = await open(laptop);
  await console.showActivity('Changes');
  await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await console.clickButton('Copy the cursor of the latest change');
  await expect.poll(() => console.page.evaluate(() => navigator.clipboard.readText())).toMatch(/\S/);
});

test('first pages use the size chosen last; links to other pages contain their size', async () => {
  await using console = await open(laptop);
  await console.page.getByLabel('Users per page').selectOption('50');
  await expect.poll(() => console.names()).toHaveLength(50);
  await console.page.getByRole('button', { name: 'Page 2 of 2' }).click();
  await expect.poll(() => new URL(console.page.url()).search).toBe('?page=2&size=50');
  await console.page.goto(service.url);
  await expect.poll(() => console.names()).toHaveLength(50);
  await console.page.goto(`${service.url}/?page=3`);
  await expect.poll(async () => (await console.names())[0]).toBe(users[19]?.name);
  expect(await console.names()).toHaveLength(20);
});

test('each row is one line at 1280 pixels, also beside an open user; ids are visible from 1440 pixels', async () => {
  await createUser(service.url, LONG_NAME);
  await using console = await open({ name: '1280', width: 1280, height: 800, colorScheme: 'light' });
  await console.page.getByRole('link', { name: LONG_NAME }).waitFor();
  const readLines = () =>
    console.page
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.filter((row) => row.getBoundingClientRect().height > 40).map((row) => row.textContent),
      );
  const isIdShown = () => console.page.getByRole('columnheader', { name: 'Id' }).isVisible();
  expect(await readLines()).toEqual([]);
  expect(await isIdShown()).toBe(false);
  await console.page.getByRole('link', { name: LONG_NAME }).click();
  await console.page.getByLabel('Name', { exact: true }).pressSequentially(' II');
  await console.page.getByText('Unsaved', { exact: true }).first().waitFor();
  expect(await readLines()).toEqual([]);
  await console.inspect('console-one-line');
  await console.clickButton('Discard changes');
  await console.clickButton('Close');
  await console.page.setViewportSize({ width: 1440, height: 900 });
  await expect.poll(isIdShown).toBe(true);
});

test('shows eight users on a phone, with whole addresses', async () => {
  const name = `${LONG_NAME} Junior`;
  const { email } = await createUser(service.url, name);
  await using console = await open({ name: '390', width: 390, height: 844, colorScheme: 'dark' });
  await console.page.getByRole('link', { name }).waitFor();
  expect(await countVisibleRows(console)).toBeGreaterThanOrEqual(8);
  const addresses = console.list.locator('td span').filter({ visible: true, hasText: '@' });
  const address = addresses.filter({ hasText: email });
  expect((await address.boundingBox())?.height).toBeLessThan(25);
  const others = addresses.filter({ hasNotText: 'wolfe' });
  const isCut = (all: Element[]) => all.some((each) => each.scrollWidth > each.clientWidth);
  expect(await others.evaluateAll(isCut)).toBe(false);
  await console.inspect('console-phone');
});
