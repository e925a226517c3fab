import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser, type User } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const USERS = {
  'Active Ada': { status: 'active', level: 1 },
  'Trial Tim': { status: 'trial', level: 2 },
  'Suspended Sue': { status: 'suspended', level: 3 },
};

const users = new Map<string, User>();
const service = startSharedService(['--fields', 'test/setup/blocking-fields.json'], {
  fill: async (url) => {
    for (const [name, fields] of Object.entries(USERS)) users.set(name, await createUser(url, name, fields));
  },
});

describe.each(screens)('values of an enum at $width pixels', (screen) => {
  test('are badges with a color each, and blocked ones are red with a sign', async () => {
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await console.waitForList();
    await console.clickButton('View');
    for (const name of ['Level', 'Status']) await page.getByRole('checkbox', { name, exact: true }).setChecked(true);
    await page.keyboard.press('Escape');
    const readBadges = (name: string) =>
      console.list
        .getByRole('row')
        .filter({ hasText: name })
        .locator('.mantine-Badge-root')
        .filter({ visible: true })
        .evaluateAll((badges) =>
          badges.map((badge) => ({
            text: badge.textContent,
            sign: badge.querySelector('[role=img]')?.ariaLabel,
            color: getComputedStyle(badge).backgroundColor,
          })),
        );
    await expect.poll(() => readBadges('Active Ada')).toHaveLength(2);
    const rows = await Promise.all(Object.keys(USERS).map(readBadges));
    expect(rows.map((row) => row.map(({ text, sign }) => [sign, text]))).toEqual([
      [
        [undefined, 'active'],
        [undefined, '1'],
      ],
      [
        [undefined, 'trial'],
        ['Blocked:', '2'],
      ],
      [
        ['Blocked:', 'suspended'],
        ['Blocked:', '3'],
      ],
    ]);
    const [[active, one] = [], [trial, two] = [], [suspended] = []] = rows.map((row) => row.map(({ color }) => color));
    expect(new Set([active, trial, suspended]).size).toBe(3);
    // The first value of each field has the first color, and all blocked values have the same.
    expect(one).toBe(active);
    expect(two).toBe(suspended);
    await console.inspect('console-badges');
  });
});
