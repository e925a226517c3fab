import { readFile } from 'node:fs/promises';
import type { Browser, Download, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDIENCE, startIssuer } from '../lib/auth/issuer.ts';
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { openPage, screens, signOut } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser } from './users.ts';

/** More than an export reads per request: 100 users. */
const COUNT = 105;

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest(['--fields', 'test/setup/own-fields.json', '--sample', String(COUNT - 2)], {
  fill: async (url) => {
    await createUser(url, 'Megan Gottlieb', { nickname: '=1+1' });
    await createUser(url, 'Ada Gottlieb', { seat: 42 });
  },
});

const screen = screens[0] ?? expect.unreachable();
const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);

const readLines = async (download: Download) => (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');

async function startExport({ page }: ConsolePage, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a user or a command' }).pressSequentially(name);
  await page.getByRole('option', { name }).waitFor();
  await page.keyboard.press('Enter');
}

const isSecondPage = (route: Route) => new URL(route.request().url()).searchParams.has('after');

test('exports all users page by page, and saves the file only when it is complete', async () => {
  await using console = await open('/?order=asc&size=20');
  const { page } = console;
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  await page.route('**/v1/users?*', (route) =>
    isSecondPage(route)
      ? route.fulfill({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR', detail: 'Broken' } })
      : route.continue(),
  );
  await startExport(console, 'Export all users as CSV');
  const bar = page.getByRole('region', { name: 'Export' });
  await bar.getByText(`Exporting has stopped at 100 of ${COUNT} users: Broken`).waitFor();
  await console.inspect('console-export-stopped');
  expect(downloads).toHaveLength(0);
  await page.unroute('**/v1/users?*');
  const [download] = await Promise.all([page.waitForEvent('download'), console.clickButton('Continue')]);
  await page.getByText(`Exported ${COUNT} users`).waitFor();
  const [head, ...rows] = await readLines(download);
  expect(head).toMatch(/^\ufeffid,name,email,nickname,.*,version$/);
  expect(rows.at(-2)).toMatch(/,Megan Gottlieb,megan.gottlieb@example.org,'=1\+1,/);
  expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(COUNT);
  expect(rows).toHaveLength(COUNT);
  expect((await console.names())[0]).toBe(rows[0]?.split(',')[1]);
});

test('a cancelled export saves no file, and the page asks before it is left during an export', async () => {
  await using console = await open();
  const { page } = console;
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  await page.locator('tbody a').first().waitFor();
  const canLeave = () => page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/v1/users?*', async (route) => {
    if (isSecondPage(route)) await promise;
    // The cancelled export aborts the request.
    await route.continue().catch(() => {});
  });
  await console.clickButton('Export users');
  await page.getByRole('menuitem', { name: 'Export all users as NDJSON' }).click();
  await page.getByText(`Exporting: 100 of ${COUNT} users`).waitFor();
  await console.inspect('console-exporting');
  expect(await canLeave()).toBe(false);
  await console.clickButton('Cancel');
  await page.getByRole('region', { name: 'Export' }).waitFor({ state: 'detached' });
  expect(await canLeave()).toBe(true);
  await page.locator('h1:focus').waitFor();
  resolve();
  await page.unroute('**/v1/users?*');
  // If the cancelled export created a file, that file would arrive first.
  await startExport(console, 'Export all users as CSV');
  await page.getByText(`Exported ${COUNT} users`).waitFor();
  expect(downloads.map((download) => download.suggestedFilename())).toEqual(['users.csv']);
});

describe.each(screens)('the export menu at $width pixels', (each) => {
  test('is beside the import and exports the shown matches or all users', async () => {
    await using console = await ConsolePage.open(browser, each, `${service.url}/?q=gottlieb`);
    const { page } = console;
    await expect.poll(async () => (await console.names()).toSorted()).toEqual(['Ada Gottlieb', 'Megan Gottlieb']);
    await page.getByRole('button', { name: 'Import users' }).waitFor();
    const choose = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name }).click(),
      ]);
      return (await readLines(download)).length;
    };
    await console.clickButton('Export users');
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Export all matches as CSV',
      'Export all matches as NDJSON',
      'Export all users as CSV',
      'Export all users as NDJSON',
    ]);
    await page.getByRole('menuitemcheckbox', { name: 'For other programs: no apostrophes' }).waitFor();
    await console.inspect('console-export-menu');
    expect(await choose('Export all matches as NDJSON')).toBe(2);
    await console.clickButton('Export users');
    expect(await choose('Export all users as NDJSON')).toBe(COUNT);
  });

  test("has the developers' pages in the account menu, not in the header", async () => {
    await using console = await ConsolePage.open(browser, each, service.url);
    const { page } = console;
    await console.waitForList();
    expect(await page.getByRole('banner').getByRole('link').count()).toBe(1);
    await page.getByRole('button', { name: 'Account' }).click();
    const items = page.getByRole('menuitem').filter({ visible: true });
    expect((await items.allInnerTexts()).slice(-3)).toEqual(['Reference', 'GraphiQL', 'OpenAPI']);
    await console.inspect('console-account-menu');
    await page.getByRole('menuitem', { name: 'Reference' }).click();
    await page.getByRole('heading', { name: 'User Management Service' }).waitFor();
  });
});

test('finds and exports matches by word beginnings in any order, and by unique fields', async () => {
  await using console = await open();
  const { page } = console;
  const search = async (text: string) => {
    await console.search.fill('');
    await console.search.pressSequentially(text);
  };
  const find = async (text: string, name: string) => {
    await search(text);
    await page.waitForURL((url) => url.searchParams.get('q') === text);
    await console.waitForList();
    expect(await console.names()).toEqual([name]);
  };
  await find('gottl meg', 'Megan Gottlieb');
  const exportMatches = async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      startExport(console, 'Export all matches as NDJSON'),
    ]);
    return (await readLines(download)).map((line) => JSON.parse(line));
  };
  expect(await exportMatches()).toMatchObject([{ name: 'Megan Gottlieb', nickname: '=1+1', version: 1 }]);
  await find('42', 'Ada Gottlieb');
  expect(await exportMatches()).toMatchObject([{ name: 'Ada Gottlieb', seat: 42, version: 1 }]);
});

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Bearer token').fill(token);
  await page.getByRole('button', { name: 'Use token' }).click();
}

test('an export continues after a sign-in when its token expires; a forbidden one shows the reason', async () => {
  const issuer = await startIssuer();
  const args = ['--memory', '--issuer', issuer.url, '--audience', AUDIENCE, '--sample', String(COUNT)];
  const secured = await startLocalService(args);
  await using opened = await openPage(browser, screen, secured.url);
  const { page } = opened;
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  const startCsv = async () => {
    await page.getByRole('button', { name: 'Export users' }).click();
    await page.getByRole('menuitem', { name: 'Export all users as CSV' }).click();
  };
  try {
    const expired = await issuer.sign();
    await signIn(page, expired);
    await page.locator('tbody a').first().waitFor();
    await page.route('**/v1/users?*', async (route) => {
      const hasExpired = (await route.request().headerValue('authorization')) === `Bearer ${expired}`;
      if (isSecondPage(route) && hasExpired) return route.fulfill({ status: 401, json: { message: 'Unauthorized' } });
      return route.continue();
    });
    await startCsv();
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    expect(downloads).toHaveLength(0);
    const download = page.waitForEvent('download');
    await signIn(page, await issuer.sign({ jti: 'next' }));
    expect(await readLines(await download)).toHaveLength(COUNT + 1);
    await page.getByText(`Exported ${COUNT} users`).waitFor();
    // Signs in with a token without the right to list users.
    await signOut(page);
    await signIn(page, await issuer.sign({ scope: 'users:write' }));
    await page.getByText('You may not list users').waitFor();
    await startCsv();
    await page
      .getByRole('region', { name: 'Export' })
      .getByText(/^Exporting has stopped at 0 users: .*users:read/)
      .waitFor();
    expect(downloads).toHaveLength(1);
  } finally {
    await secured.stop();
    await issuer.stop();
  }
});
