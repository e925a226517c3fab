import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { createUsers, type User } from './users.ts';

let browser: Browser;
let service: LocalService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startLocalService()]);
  await createUsers(service.url, 150);
  await vi.waitUntil(async () => (await findUsers('knuth')).length === 25, { timeout: 60_000 });
});
afterAll(() => Promise.all([browser.close(), service.stop()]));

async function findUsers(q: string): Promise<User[]> {
  const response = await fetch(`${service.url}/v1/users?q=${q}`);
  return (await response.json()) as User[];
}

describe.each(screens)('the search of the console at $name', (screen) => {
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
  const search = (console: ConsolePage, text: string) => console.page.locator('#search').fill(text);

  test('finds users while typing, and pages through the matches', async () => {
    await using console = await open();
    await console.page.keyboard.press('/');
    await console.page.keyboard.type('k');
    await console.page.getByText('Type one more character').waitFor();
    await console.page.keyboard.type('nu');
    await expect
      .poll(async () => new Set((await console.names()).map((name) => name.split(' ')[1])))
      .toEqual(new Set(['Knuth']));
    await console.inspect('console-search');
    await console.clickButton('Next');
    await expect.poll(() => console.names()).toHaveLength(5);
    await console.clickButton('Previous');
    await expect.poll(() => console.names()).toHaveLength(20);
  });

  test('drops an answer that arrives after that of a later search', async () => {
    await using console = await open();
    let answerFirst = () => {};
    await console.page.route('**/v1/users?*q=grace*', async (route) => {
      await new Promise<void>((resolve) => {
        answerFirst = resolve;
      });
      // The page may have given the request up.
      await route.continue().catch(() => {});
    });
    const asked = console.page.waitForRequest('**/v1/users?*q=grace*');
    await search(console, 'grace');
    await asked;
    await search(console, 'liskov');
    const findsLiskov = async () => (await console.names())[0]?.includes('Liskov');
    await expect.poll(findsLiskov).toBe(true);
    answerFirst();
    await console.page.waitForTimeout(300);
    expect(await findsLiskov()).toBe(true);
  });

  test('says that nobody matches, and shows all users again', async () => {
    await using console = await open('/?q=nobody');
    await console.page.getByText('Nobody matches “nobody”').waitFor();
    await console.inspect('console-no-matches');
    await console.clickButton('Show all users');
    await expect.poll(() => console.names()).toHaveLength(20);
  });
});
