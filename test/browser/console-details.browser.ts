import type { Browser, Locator, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import type { Screen } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changeUser, createPosts, createUser, createUsers, type User } from './users.ts';

const RIGHT_TO_LEFT = 'משתמש';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

let user: User;
const service = startServicePerTest([], {
  fill: async (url) => {
    await createUsers(url, 20);
    user = await createUser(url, 'Wolfeschlegelsteinhausen Bergerdorff');
    await createPosts(url, user.id, 2);
  },
});

const open = (screen: Screen, path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
const createScreen = (width: number, height: number): Screen => ({
  name: String(width),
  width,
  height,
  colorScheme: 'light',
});

describe.each([createScreen(320, 640), createScreen(768, 1024)])('the console at $name', (screen) => {
  test('shows list and user without cutting or scrolling sideways', async () => {
    await createUsers(service.url, 200, 21);
    const newest = await createUser(service.url, 'Bergerdorff Wolfeschlegelsteinhausen');
    await createPosts(service.url, newest.id, 2);
    await using console = await open(screen);
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.inspect('console-narrow-list');
    const pages = await console.page
      .locator('.mantine-Pagination-control')
      .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect().top));
    expect(new Set(pages).size, 'page numbers are on one line').toBe(1);
    await console.page.getByRole('link', { name: newest.name }).click();
    await console.openTab('Posts');
    await console.page.getByText('Post 2', { exact: true }).waitFor();
    await console.inspect('console-narrow-user');
  });
});

const noticeScreens = [
  createScreen(1366, 657),
  createScreen(768, 1024),
  createScreen(390, 844),
  createScreen(320, 640),
];

describe.each(noticeScreens)('two notices at $name', (screen) => {
  test('float over a visible corner and cause no layout shift', async () => {
    const deleted = [
      await createUser(service.url, `First ${screen.name}`),
      await createUser(service.url, `Second ${screen.name}`),
    ];
    await using console = await open(screen);
    await console.page.getByRole('link', { name: `First ${screen.name}`, exact: true }).waitFor();
    // Skips heights: the list grows with its rows on short screens.
    const readPlaces = () =>
      console.page
        .locator('#console > *, [aria-label="Users"], [aria-label="Activity"], [type="search"]')
        .evaluateAll((all) =>
          all.map((each) => each.getBoundingClientRect()).map(({ x, y, width }) => ({ x, y, width })),
        );
    const places = await readPlaces();
    for (const { name } of deleted) {
      await console.page.getByRole('link', { name, exact: true }).click();
      // Presses Enter, because a notice covers the button on a small screen.
      await console.page.getByRole('button', { name: 'Delete user', exact: true }).press('Enter');
    }
    const notices = console.page.getByRole('status').filter({ hasText: 'Deleted' });
    await expect.poll(() => notices.count()).toBe(2);
    expect(await readPlaces()).toEqual(places);
    for (const notice of await notices.all()) {
      const { x = 0, y = 0, width = 0, height = 0 } = (await notice.boundingBox()) ?? {};
      expect(Math.min(x, y)).toBeGreaterThan(0);
      expect(x + width).toBeLessThanOrEqual(screen.width);
      expect(y + height).toBeLessThanOrEqual(screen.height);
    }
    await console.inspect('console-notices');
  });
});

describe('the console', () => {
  const screen = createScreen(1280, 800);

  test('names the user in heading, tab and messages, in whole sentences', async () => {
    await using console = await open(screen, `/?user=${user.id}`);
    await console.page.getByRole('heading', { name: user.name }).waitFor();
    expect(await console.page.title()).toBe(`${user.name} – Users`);
    await console.page.getByLabel('Email', { exact: true }).fill('nobody');
    await console.clickButton('Save');
    await console.page.getByText('Email must be an email address').waitFor();
    await console.clickButton('Discard changes');
    await console.clickButton('Close');
    expect(await console.page.title()).toBe('Users');
  });

  test('isolates names of another text direction', async () => {
    const { id } = await createUser(service.url, `Reversed ${RIGHT_TO_LEFT}`);
    await using console = await open(screen, `/?user=${id}`);
    await console.page.getByLabel('Name', { exact: true }).fill(RIGHT_TO_LEFT);
    await console.clickButton('Save');
    await console.page.getByText(`Saved ${RIGHT_TO_LEFT}. Version 2.`).waitFor();
    const isolated = console.page.locator('bdi').filter({ hasText: new RegExp(`^${RIGHT_TO_LEFT}$`) });
    // The name is in row, heading and notice.
    await expect.poll(() => isolated.count()).toBe(3);
    await console.inspect('console-right-to-left');
  });

  test('isolates titles and names of another text direction in notices, including errors', async () => {
    const { id } = await createUser(service.url, `Isolated ${RIGHT_TO_LEFT}`);
    await using console = await open(screen, `/?user=${id}&tab=posts`);
    const readNotices = () =>
      console.page.getByTestId('notice').evaluateAll((all) => all.map((each) => each.innerHTML));
    await console.page.getByLabel('Title of the new post').fill(RIGHT_TO_LEFT);
    await console.clickButton('Add');
    await expect.poll(readNotices).toEqual([`Created “<bdi>${RIGHT_TO_LEFT}</bdi>”`]);
    await console.page.getByLabel(`Edit ${RIGHT_TO_LEFT}`).click();
    await console.page.getByLabel('Title', { exact: true }).fill(`${RIGHT_TO_LEFT}!`);
    await console.page.getByLabel('Title', { exact: true }).press('Enter');
    await expect.poll(readNotices).toEqual([`Saved “<bdi>${RIGHT_TO_LEFT}!</bdi>”`]);
    await console.openTab('Profile');
    await console.page.getByLabel('Name', { exact: true }).fill('Other');
    const fail = await console.failRequest('**/v1/users/*', () => console.clickButton('Save'));
    await console.clickButton('Close');
    fail();
    const failed = `<bdi>Isolated ${RIGHT_TO_LEFT}</bdi> was not saved: The service cannot be reached`;
    await expect.poll(async () => (await readNotices()).at(-1)).toContain(failed);
  });

  test('allows selecting an address to copy it', async () => {
    await using console = await open(screen);
    const address = console.page
      .getByRole('row')
      .filter({ hasText: user.email })
      .getByRole('cell')
      .nth(2)
      .locator('bdi');
    const { x = 0, y = 0, width = 0, height = 0 } = (await address.boundingBox()) ?? {};
    await console.page.mouse.move(x + 1, y + height / 4);
    await console.page.mouse.down();
    await console.page.mouse.move(x + width - 1, y + (height * 3) / 4, { steps: 5 });
    await console.page.mouse.up();
    expect(await console.page.evaluate(() => getSelection()?.toString())).toContain('@example');
    expect(new URL(console.page.url()).search).toBe('');
    // Unlike dragging, a click opens the user.
    await address.click();
    await console.page.getByRole('heading', { name: user.name }).waitFor();
  });

  test('reports a part that cannot be loaded only when it is opened', async () => {
    await using console = await open(screen);
    const { page } = console;
    await page.route('**/user-panel*.js', (route) => route.abort());
    const isPanel = (request: Request) => request.url().includes('/user-panel');
    await Promise.all([page.waitForEvent('requestfailed', isPanel), page.reload()]);
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    const notice = page.getByText('This part of the page cannot be loaded');
    expect(await notice.count()).toBe(0);
    await page.getByRole('link', { name: user.name, exact: true }).click();
    await notice.waitFor();
    expect(await notice.count()).toBe(1);
    await console.inspect('console-panel-gone');
    await page.unroute('**/user-panel*.js');
    await console.clickButton('Reload the page');
    await page.getByRole('heading', { name: user.name }).waitFor();
  });

  test('offers to reload after a deployment removed a part of the page, and keeps the draft', async () => {
    await using console = await open(screen, `/?user=${user.id}`);
    await console.page.route('**/import-dialog*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await console.page.getByLabel('Name', { exact: true }).press('End');
    await console.page.keyboard.type(' Jr.');
    await console.clickButton('Import users');
    await console.page.getByRole('alert').getByText('This part of the page cannot be loaded').waitFor();
    expect(await console.names()).toHaveLength(20);
    await console.inspect('console-part-gone');
    await console.page.unroute('**/import-dialog*.js');
    await console.clickButton('Dismiss');
    await console.page.route('**/day-log*.js', (route) => route.abort());
    await console.showActivity('By day');
    await console.page.getByRole('alert').getByText('This part of the page cannot be loaded').waitFor();
    expect(await console.names()).toHaveLength(20);
    await console.page.unroute('**/day-log*.js');
    await console.clickButton('Reload the page');
    await console.clickButton('Import users');
    await console.page.getByRole('dialog', { name: 'Import users' }).waitFor();
    await console.page.keyboard.press('Escape');
    expect(await console.page.getByLabel('Name', { exact: true }).inputValue()).toBe(`${user.name} Jr.`);
  });

  test('wraps addresses only before the @', async () => {
    await using console = await open(screen, `/?user=${user.id}`);
    const parts = await console.page
      .getByRole('row')
      .filter({ hasText: user.email })
      .getByRole('cell')
      .nth(2)
      .locator('bdi')
      .evaluate((address) => address.innerHTML.split('<wbr>'));
    expect(parts).toEqual(['wolfeschlegelsteinhausen.bergerdorff', '@example.org']);
  });

  test('wraps addresses only before the @ in history and conflicts', async () => {
    const { id } = await createUser(service.url, 'Broken Address');
    await using console = await open(screen, `/?user=${id}`);
    await console.page.getByLabel('Email', { exact: true }).fill('newer.address@example.org');
    await changeUser(service.url, id, { email: 'changed.address@example.org' });
    await console.page.getByText('was changed elsewhere to version 2').waitFor();
    await console.clickButton('Save');
    const options = console.page.getByRole('dialog').locator('label bdi');
    const readParts = (texts: Locator) =>
      texts.evaluateAll((all) => all.map((each) => each.innerHTML.replaceAll('<wbr>', '|')));
    await expect.poll(() => readParts(options)).toEqual(['newer.address|@example.org', 'changed.address|@example.org']);
    await console.clickButton('Keep version 2');
    await console.openTab('History');
    await expect
      .poll(() =>
        readParts(console.page.getByRole('region', { name: 'History' }).getByRole('listitem').first().locator('bdi')),
      )
      .toEqual(['anonymous', 'broken.address|@example.org', 'changed.address|@example.org']);
  });

  test('prints the whole list without controls, or only the open user', async () => {
    await using console = await open(screen);
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.page.emulateMedia({ media: 'print' });
    await console.page.screenshot({ path: '.screenshots/console-print.png', fullPage: true });
    expect(await console.page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    const last = console.page.locator('tbody tr').last();
    const isOnPaper = (row: Element) =>
      Math.floor(row.getBoundingClientRect().bottom) <= document.documentElement.scrollHeight;
    expect(await last.evaluate(isOnPaper)).toBe(true);
    // The list is not cut off at the height of a scroll area.
    expect(await console.list.evaluate((area) => getComputedStyle(area).overflow)).toBe('visible');
    await console.page.emulateMedia({ media: 'screen' });
    await console.page.getByRole('link', { name: user.name }).click();
    await console.openTab('Posts');
    await console.page.getByText('Post 2', { exact: true }).waitFor();
    await console.page.emulateMedia({ media: 'print' });
    await console.page.screenshot({ path: '.screenshots/console-print-user.png', fullPage: true });
    expect(await console.list.isVisible()).toBe(false);
    expect(await console.page.getByText('Post 2', { exact: true }).isVisible()).toBe(true);
    expect(await console.page.getByLabel('Title of the new post').isVisible()).toBe(false);
  });
});
