import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens, testOnce } from './pages.ts';
import { startServicePerTest, startSharedService } from './service-per-test.ts';
import { createUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const PRO_USERS = 25;

describe.each(screens)('the filters of the list at $name', (screen) => {
  const service = startSharedService(['--fields', 'test/setup/filter-fields.json'], {
    fill: async (url) => {
      for (let number = 1; number <= PRO_USERS; number += 1)
        await createUser(url, `Paula Pro ${number}`, { plan: 'pro', seats: number, isStaff: number === 1 });
      await createUser(url, 'Frida Free', { tags: ['blue', 'red'], startedOn: '2026-03-01', memberNumber: 'M-7' });
    },
  });
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
  const readFilter = ({ page }: ConsolePage) => Object.fromEntries(new URL(page.url()).searchParams);

  test('apply a value by keyboard, show the count, and combine with the search', async () => {
    await using console = await open();
    const { page } = console;
    await console.makeUnsteady();
    await console.tabTo('Filter by Plan');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'free' }).waitFor();
    await console.inspect('console-filter-choices');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => console.names()).toHaveLength(20);
    await expect.poll(() => page.getByTestId('total').textContent()).toBe(`${PRO_USERS} matches`);
    expect(readFilter(console)).toEqual({ 'filter.plan': 'pro' });
    await page.keyboard.press('Escape');
    await expect.poll(() => console.readFocus()).toBe('Filter by Plan: pro');
    await page.getByText('20 of 25 on this page').waitFor();
    await console.inspect('console-filtered');
    await console.search.focus();
    await page.keyboard.type('pro 21', { delay: 40 });
    await expect.poll(() => console.names()).toEqual(['Paula Pro 21']);
    expect(readFilter(console)).toEqual({ q: 'pro 21', 'filter.plan': 'pro' });
    await page.reload();
    await expect.poll(() => console.names()).toEqual(['Paula Pro 21']);
    await console.tabTo('Remove the filter by Plan');
    await page.keyboard.press('Enter');
    await expect.poll(() => readFilter(console)).toEqual({ q: 'pro 21' });
    // The focus moves to the button that takes the same position.
    await expect.poll(() => console.readFocus()).toBe('Filter by Plan');
  });

  testOnce(screen)('show the number of matches after a saved user leaves them, and after the undo', async () => {
    await using console = await open('/?filter.plan=pro');
    const { page } = console;
    await expect.poll(() => page.getByTestId('total').textContent()).toBe(`${PRO_USERS} matches`);
    await page.getByRole('link', { name: 'Paula Pro 9' }).click();
    await page.getByLabel('User', { exact: true }).getByLabel('Plan').selectOption('team');
    await console.clickButton('Save');
    await expect.poll(() => page.getByTestId('total').textContent()).toBe(`${PRO_USERS - 1} matches`);
    await console.clickButton('Undo');
    await expect.poll(() => page.getByTestId('total').textContent()).toBe(`${PRO_USERS} matches`);
  });

  test.each([
    ['a filter', '/?filter.plan=pro&filter.isStaff=false', PRO_USERS - 1],
    ['a search', '/?q=paula', PRO_USERS],
  ])(
    'say how many users of %s match at least while they are counted, without a layout shift',
    async (_, path, count) => {
      await using console = await open();
      const { page } = console;
      const total = page.getByTestId('total');
      const isCount = (request: Request) =>
        request.headers().prefer === 'count=exact' || /limit=200/.test(request.url());
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.route(/\/v1\/users/, async (route) => {
        if (isCount(route.request())) await promise;
        await route.fallback();
      });
      await page.evaluate((path) => {
        history.pushState(null, '', path);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path);
      await expect.poll(() => total.textContent()).toBe('20+, counting');
      expect(await total.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
      const field = await console.search.boundingBox();
      resolve();
      await expect.poll(() => total.textContent()).toBe(`${count} matches`);
      expect(await console.search.boundingBox()).toEqual(field);
    },
  );

  testOnce(screen)('say how many users match at least if they are too many to count', async () => {
    await using console = await open('/?q=paula');
    const { page } = console;
    const total = page.getByTestId('total');
    await expect.poll(() => total.textContent()).toBe(`${PRO_USERS} matches`);
    await page.route('**/v1/users?*limit=200*', (route) => route.abort());
    await page.goto(`${service.url}/?q=pro`);
    await expect.poll(() => total.textContent()).toBe('20+ matches');
    await console.clickButton('Next');
    await expect.poll(() => total.textContent()).toBe(`${PRO_USERS}+ matches`);
  });

  testOnce(screen)('show no number of matches before they arrive', async () => {
    await using console = await open();
    const total = console.page.getByTestId('total');
    await expect.poll(() => total.textContent()).toBe(`${PRO_USERS + 1} in total`);
    const release = await console.holdAnswers(/paula/, () => console.search.fill('paula'));
    await expect.poll(() => total.textContent()).toBe('');
    release();
    await expect.poll(() => total.textContent()).toBe(`${PRO_USERS} matches`);
  });

  testOnce(screen)('combine several values and a range, and show their number', async () => {
    await using console = await open('/?filter.seats.gte=3&filter.isStaff=false');
    const { page } = console;
    const readTotal = () => page.getByTestId('total').textContent();
    await expect.poll(readTotal).toBe(`${PRO_USERS - 2} matches`);
    await console.clickButton('Filter by Plan');
    await page.getByRole('menuitemcheckbox', { name: 'free' }).click();
    await page.getByText('No user matches the filters').waitFor();
    await page.getByRole('menuitemcheckbox', { name: 'pro' }).click();
    await expect.poll(readTotal).toBe(`${PRO_USERS - 2} matches`);
    expect(new URL(page.url()).searchParams.getAll('filter.plan')).toEqual(['free', 'pro']);
    await page.keyboard.press('Escape');
    await expect.poll(() => console.readFocus()).toBe('Filter by Plan: free or pro');
    await console.openFilter('Seats');
    await page.getByLabel('To', { exact: true }).fill('24');
    await page.keyboard.press('Enter');
    await expect.poll(readTotal).toBe('22 matches');
    expect(readFilter(console)).toMatchObject({ 'filter.seats.gte': '3', 'filter.seats.lte': '24' });
    await console.clickButton('Remove the filter by Seats ≥ 3 and ≤ 24');
    await expect.poll(readTotal).toBe(`${PRO_USERS} matches`);
  });

  testOnce(screen)('accept texts, numbers, dates, booleans and unique values', async () => {
    await using console = await open();
    const { page } = console;
    const filterBy = async (label: string, text: string) => {
      await console.clickButton(`Filter by ${label}`);
      await page
        .getByRole('dialog', { name: `Filter by ${label}` })
        .locator(':focus')
        .waitFor();
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    await filterBy('Tags', 'blue');
    await expect.poll(() => console.names()).toEqual(['Frida Free']);
    await filterBy('Started on', '03012026');
    await expect.poll(() => readFilter(console)).toEqual({ 'filter.tags': 'blue', 'filter.startedOn': '2026-03-01' });
    await expect.poll(() => console.names()).toEqual(['Frida Free']);
    await console.clickButton('Clear filters');
    await filterBy('Seats', 'x');
    // The dialog stays open, because the browser's own validation rejects the text.
    expect(await page.getByRole('dialog', { name: 'Filter by Seats' }).count()).toBe(1);
    await page.keyboard.press('Backspace');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await expect.poll(() => console.names()).toEqual(['Paula Pro 7']);
    await page.goBack();
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.clickButton('Filter by Is staff');
    await page.getByRole('menuitemradio', { name: 'Yes' }).click();
    await expect.poll(() => console.names()).toEqual(['Paula Pro 1']);
    await console.clickButton('Remove the filter by Is staff');
    await filterBy('Member number', 'm-7');
    await expect.poll(() => console.names()).toEqual(['Frida Free']);
  });

  test('name an unknown filter of a link, and the export says that it ignores the filter', async () => {
    await using console = await open('/?filter.plann=pro&filter.plan=free');
    const { page } = console;
    await expect.poll(() => console.names()).toEqual(['Frida Free']);
    await page.getByText('The list ignores an unknown filter of this link: plann').waitFor();
    await console.inspect('console-filter-unknown');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Export all matches');
    await page.getByRole('option', { name: 'Export all matches (without the filter plann) as CSV' }).waitFor();
    await page.keyboard.press('Escape');
    await console.clickButton('Remove');
    expect(readFilter(console)).toEqual({ 'filter.plan': 'free' });
    await expect.poll(() => console.readFocus()).toBe('Users');
  });

  test('accept creation days and the time of the last change', async () => {
    await using console = await open();
    const { page } = console;
    await console.clickButton('Filter by Created');
    await console.inspect('console-filter-created');
    await console.clickButton('Today');
    await expect.poll(() => page.getByTestId('total').textContent()).toBe(`${PRO_USERS + 1} matches`);
    await expect.poll(() => console.names()).toHaveLength(20);
    await page.getByRole('button', { name: /^Filter by Created: since/ }).click();
    await console.clickButton('Apply');
    await expect.poll(() => console.names()).toHaveLength(20);
    await page.getByRole('button', { name: /^Filter by Created: since/ }).click();
    await page.getByLabel('First day').fill('');
    await page.getByLabel('Last day').fill('2020-12-31');
    await page.keyboard.press('Enter');
    await page.getByText('No user matches the filters').waitFor();
    await console.inspect('console-filter-no-user');
    await console.clickButton('Filter by Created: until Dec 31, 2020');
    await page.getByLabel('Last day').fill('');
    await page.keyboard.press('Enter');
    await console.clickButton('Filter by Changed');
    await console.clickButton('Last hour');
    await expect.poll(() => console.names()).toHaveLength(20);
    await page.getByLabel('Order').getByText('By last change').waitFor({ state: 'attached' });
    expect(await page.getByLabel('Order').inputValue()).toBe('');
    await page.getByRole('button', { name: /^Filter by Changed: since/ }).click();
    // A whole minute, which the browser would reject if the shortcut stored seconds.
    await page.getByLabel('Changed since').fill('2026-01-31T12:34');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Filter by Changed: since Jan 31, 2026, 12:34:00' }).waitFor();
  });
});

describe('a service that is younger than its users', () => {
  const service = startServicePerTest(['--sample', '3']);

  test('offers the known changes for a time before its change log', async () => {
    await using console = await ConsolePage.open(browser, screens[0] as Screen, service.url);
    await expect.poll(() => console.names()).toHaveLength(3);
    await console.clickButton('Filter by Changed');
    await console.clickButton('Last hour');
    await console.page.getByText('It knows all changes since').waitFor();
    await console.inspect('console-changes-too-early');
    await createUser(service.url, 'Ada Lovelace');
    await console.page.getByRole('button', { name: '1 new: show' }).waitFor();
    await console.clickButton('Show the known changes');
    await expect.poll(() => console.names()).toEqual(['Ada Lovelace']);
  });
});
