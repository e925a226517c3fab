import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUsers, type User } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

let users: User[];
const service = startSharedService([], {
  fill: async (url) => {
    users = await createUsers(url, 25);
  },
});

const REQUESTS = /\/graphql|\/v1\/users/;

describe.each(screens)('an outage of the service, in the console at $name', (screen) => {
  const open = async (path = '/') => {
    const console = await ConsolePage.open(browser, screen, `${service.url}${path}`);
    await console.page.getByRole('link', { name: 'Ada Lovelace 25' }).waitFor({ state: 'attached' });
    return console;
  };

  test('is reported once, and blocked content loads when it ends', async () => {
    await using console = await open();
    const { page } = console;
    await page.route(REQUESTS, (route) => route.abort());
    await page.getByRole('button', { name: 'Page 2 of 2' }).click();
    const banner = page.getByRole('region', { name: 'Outage' });
    await banner.getByText('The service cannot be reached. It is started with npm start.').waitFor();
    await banner.getByText(/^Next attempt in \d+ s\.$/).waitFor();
    await console.waitForList();
    await expect.poll(() => page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(1);
    expect(await page.getByText('The users cannot be listed').count()).toBe(0);
    await console.inspect('console-outage');
    await page.unroute(REQUESTS);
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ada Lovelace 1', exact: true }).waitFor();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  });

  test('and a browser without a network: the list stays, dimmed, until the network returns', async () => {
    await using console = await open();
    const { page } = console;
    await page.context().setOffline(true);
    const banner = page.getByRole('region', { name: 'Outage' });
    await banner.getByText('This browser is offline.').waitFor();
    expect(await banner.innerText()).not.toContain('npm start');
    const names = await console.names();
    expect(names).toHaveLength(20);
    const readColor = () => page.locator('table').evaluate((table) => getComputedStyle(table).color);
    const dimmed = await readColor();
    await page.getByRole('button', { name: 'Page 2 of 2' }).click();
    await console.waitForList();
    expect(await console.names()).toEqual(names);
    await console.inspect('console-offline');
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ada Lovelace 1', exact: true }).waitFor();
    expect(await readColor()).not.toBe(dimmed);
  });

  test('without a database is also reported in the panel, and a click retries at once', async () => {
    await using console = await open();
    const { page } = console;
    let attempts = 0;
    await page.route(REQUESTS, (route) => {
      attempts++;
      return route.fulfill({ status: 503, json: { message: 'Service Unavailable' } });
    });
    await page.getByRole('link', { name: 'Ada Lovelace 25' }).click();
    const banner = page.getByRole('region', { name: 'Outage' });
    await banner.getByText('The service is busy, or cannot reach its database.').waitFor();
    await page.getByText('The user cannot be read now. It is read as soon as the service answers.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await console.inspect('console-outage-panel');
    const before = attempts;
    await banner.getByRole('button', { name: 'Try now' }).click();
    await expect.poll(() => attempts).toBeGreaterThan(before);
    await page.unroute(REQUESTS);
    await page.getByLabel('Name', { exact: true }).waitFor();
    await banner.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(users.at(-1)?.name);
  });
});
