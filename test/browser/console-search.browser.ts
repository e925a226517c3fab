import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest([], { fill: (url) => createUsers(url, 25) });

describe.each(screens)('the search of the console at $name', (screen) => {
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
  const search = (console: ConsolePage, text: string) => console.search.fill(text);

  test('finds users while typing', async () => {
    await using console = await open('/?page=2');
    await console.page.keyboard.press('/');
    await console.inspect('console-search-scope');
    await console.page.keyboard.type('h');
    await console.page.getByText('One more character').waitFor();
    await console.page.waitForURL(/q=h/);
    // Waits, because a loading list is dimmed.
    await console.waitForList();
    await console.inspect('console-search-hint');
    await console.page.keyboard.type('op');
    await expect
      .poll(async () => new Set((await console.names()).map((name) => name.split(' ')[1])))
      .toEqual(new Set(['Hopper']));
    await console.inspect('console-search');
    await console.page.goBack();
    expect(new URL(console.page.url()).search).toBe('?page=2');
    await expect.poll(() => console.search.inputValue()).toBe('');
  });

  testOnce(screen)('pages through the matches, also after Back and after a reload', async () => {
    for (let number = 26; number <= 64; number += 1) await createUser(service.url, `Donald Knuth ${number}`);
    await using console = await open('/?q=knuth');
    await expect.poll(() => console.names()).toHaveLength(20);
    const findFirst = async () => (await console.names())[0];
    const turn = async (button: string) => {
      const before = await findFirst();
      await console.clickButton(button);
      await expect.poll(findFirst).not.toBe(before);
      return findFirst();
    };
    const pages = [await findFirst(), await turn('Next'), await turn('Next')];
    expect(await console.names()).toHaveLength(3);
    await console.page.goBack();
    await expect.poll(findFirst).toBe(pages[1]);
    expect(await turn('Previous')).toBe(pages[0]);
    expect([await turn('Next'), await turn('Next')]).toEqual([pages[1], pages[2]]);
    await console.page.reload();
    await expect.poll(findFirst).toBe(pages[2]);
    expect([await turn('Previous'), await turn('Previous')]).toEqual([pages[1], pages[0]]);
    expect(await console.page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  });

  testOnce(screen)('drops a late response of an earlier search', async () => {
    await using console = await open();
    const answerFirst = await console.holdAnswers('**/v1/users?*q=grace*', () => search(console, 'grace'));
    await search(console, 'liskov');
    const findsLiskov = async () => (await console.names())[0]?.includes('Liskov');
    await expect.poll(findsLiskov).toBe(true);
    answerFirst();
    await console.page.waitForTimeout(300);
    expect(await findsLiskov()).toBe(true);
  });

  testOnce(screen)('a late response to Enter leaves the user that was opened meanwhile', async () => {
    await using console = await open();
    const [owner] = await createUsers(service.url, 1, 26);
    const url = /\/v1\/users\?.*(q|email)=/;
    for (const text of ['grace', owner?.email ?? '']) {
      const answer = await console.holdAnswers(url, async () => {
        await search(console, text);
        await console.search.press('Enter');
      });
      const opened = (await console.names()).at(-1) ?? '';
      await console.page.getByRole('link', { name: opened, exact: true }).click();
      await console.page.getByRole('heading', { name: opened }).waitFor();
      const answered = console.page.waitForResponse(url);
      answer();
      await answered;
      await console.page.waitForTimeout(300);
      expect(await console.page.getByRole('heading', { level: 2 }).first().textContent()).toBe(opened);
      await console.clickButton('Close');
    }
  });

  testOnce(screen)('a link that the service rejects leads to all users', async () => {
    await using console = await open();
    const sent: string[] = [];
    console.page.on('request', (request) => sent.push(request.url()));
    // The start of live changes would read the list again.
    await console.page.route('**/graphql', () => {});
    await console.page.goto(`${service.url}/?q=knuth&after=garbage`);
    await console.page.getByText('after: must be from a link').waitFor();
    expect(sent.filter((url) => /v1.users.*after=garbage/.test(url))).toHaveLength(1);
    await console.page.unroute('**/graphql');
    await console.clickButton('Show all users');
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.page.locator('h1:focus').waitFor();
  });

  test('reports that no user matches, and shows all users again', async () => {
    await using console = await open('/?q=nobody');
    await console.page.getByText('No user matches “nobody”').waitFor();
    await console.page.getByText('For the domain of an address, type @nobody.').waitFor();
    await console.inspect('console-no-matches');
    const answer = await console.holdAnswers('**/v1/users?*page=1*', () => console.clickButton('Show all users'));
    await console.page.getByRole('status', { name: 'Loading users' }).waitFor();
    await console.page.locator('h1:focus').waitFor();
    await console.inspect('console-loading');
    answer();
    await expect.poll(() => console.names()).toHaveLength(20);
  });

  test('keeps the shown users when the list cannot be reloaded', async () => {
    await using console = await open();
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    // The start of live changes reads the list again, which must not contain the new user.
    await console.waitForList();
    await createUser(service.url, `New ${screen.name}`);
    // Status 503 would be shown as an outage (console-outage.browser.ts).
    await console.page.route('**/v1/users?*', (route) =>
      route.fulfill({ status: 500, body: '{"error":"Internal server error"}' }),
    );
    await console.clickButton('1 new: show');
    await console.page.getByText('The users cannot be listed').waitFor();
    expect(await console.names()).toHaveLength(20);
    await console.inspect('console-list-error');
    await console.page.unroute('**/v1/users?*');
    await console.clickButton('Try again');
    await console.page.locator('h1:focus').waitFor();
    await expect.poll(async () => (await console.names())[0]).toBe(`New ${screen.name}`);
    expect(await console.page.getByText('The users cannot be listed').count()).toBe(0);
  });

  test('shows an error message when rendering fails', async () => {
    await using console = await open('/?user=new');
    await console.page.route('**/v1/users?*', (route) =>
      route.fulfill({ json: [{ id: 'no UUID', name: 'Ada', email: 'ada@example.org' }] }),
    );
    await console.page.reload();
    await console.page.getByText('The console cannot be shown').waitFor();
    await console.page.getByText('A part of the page has failed. What you have typed is kept.').waitFor();
    await console.page.screenshot({ path: `.screenshots/console-broken-${screen.name}.png` });
  });
});
