import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changeUser, createUser, createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

describe.each(screens)('many users at once at $name', (screen) => {
  const service = startServicePerTest(['--fields', 'test/setup/filter-fields.json']);
  const open = async (path: string) => {
    const console = await ConsolePage.open(browser, screen, `${service.url}${path}`);
    await console.page.locator('tbody a').first().waitFor();
    return console;
  };
  const count = async (query = ''): Promise<number> => {
    const response = await fetch(`${service.url}/v1/users?limit=1${query}`, { headers: { prefer: 'count=exact' } });
    return Number(response.headers.get('x-total-count'));
  };
  const canLeave = ({ page }: ConsolePage) =>
    page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));
  const selectAll = async ({ page, ...console }: ConsolePage, label: string) => {
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: /^Select all \d+$/ }).press('Enter');
    await page.getByRole('button', { name: label }).press('Enter');
    return console;
  };

  test('selects matches on all pages, changes them with a progress bar, and restores them by undo', async () => {
    await createUsers(service.url, 120);
    await createUser(service.url, 'Paula Pro', { plan: 'pro' });
    await using console = await open('/?filter.plan=free');
    const { page } = console;
    await console.makeUnsteady();
    await selectAll(console, 'Select all 120 matches');
    await page.getByText('120 selected').waitFor();
    await console.inspect('console-all-selected');
    await page.getByRole('button', { name: 'Edit field…' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit a field of 120 users' });
    await dialog.waitFor();
    await console.inspect('console-bulk-edit');
    await page.getByLabel('Plan', { exact: true }).selectOption('team');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Change 120 users' }).click();
    const bar = page.getByRole('region', { name: 'Bulk job' });
    await bar.waitFor();
    await bar.getByRole('button', { name: 'Pause' }).click();
    await bar.getByText(/^Changing Plan, paused: \d+ of 120 users$/).waitFor();
    await console.inspect('console-bulk-paused');
    await bar.getByRole('button', { name: 'Continue' }).click();
    // A notice under the mouse stays, so its undo stays possible.
    await page.getByText('Changed Plan of 120 users').hover();
    expect([await count('&plan=team'), await count('&plan=pro')]).toEqual([120, 1]);
    await page.getByText('No user matches the filters').waitFor();
    await page.getByRole('region', { name: 'Selected users' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await page.getByText('Undone: Changed Plan of 120 users').waitFor();
    expect(await count('&plan=free')).toBe(120);
  });

  testOnce(screen)('a selection of all matches ends when the person leaves the list or selects a user', async () => {
    await createUsers(service.url, 45);
    await using console = await open('/?filter.plan=free');
    const { page } = console;
    const first = page.getByRole('checkbox', { name: 'Select Alan Turing 45' });
    const isSelection = (request: Request) => request.url().includes('limit=500');
    const startReading = async () => {
      const ended = Promise.race([
        page.waitForEvent('requestfinished', isSelection),
        page.waitForEvent('requestfailed', isSelection),
      ]);
      const release = await console.holdAnswers(/limit=500/, async () => {
        await selectAll(console, 'Select all 45 matches');
      });
      await page.getByRole('button', { name: 'Reading, 0 so far: cancel' }).waitFor();
      expect(await page.getByRole('button', { name: 'Edit field…' }).isDisabled()).toBe(true);
      return async () => {
        release();
        await ended;
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
      };
    };
    const finishOther = await startReading();
    await console.clickButton('Remove the filter by Plan');
    await page.getByText('45 in total').waitFor();
    await console.waitForList();
    await first.click();
    await page.getByText('1 selected').waitFor();
    await page.goBack();
    await page.getByText('45 matches').waitFor();
    await first.click();
    await finishOther();
    expect(await page.getByRole('status').filter({ hasText: 'selected' }).textContent()).toBe('1 selected');
    await first.click();
    const finishSame = await startReading();
    await first.click();
    await finishSame();
    expect(await page.getByRole('status').filter({ hasText: 'selected' }).textContent()).toBe('19 selected');
  });

  test('deletes more than a hundred after their number was typed; a cancel keeps the rest', async () => {
    await createUsers(service.url, 120);
    await using console = await open('/');
    const { page } = console;
    await selectAll(console, 'Select all 120 users');
    await page.getByText('120 selected').waitFor();
    await console.clickButton('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 120 users?' });
    await dialog.getByLabel('Type 120 to delete them').waitFor();
    await page.keyboard.type('12');
    await page.keyboard.press('Enter');
    await dialog.getByText('The number is 120').waitFor();
    await console.inspect('console-delete-typed');
    await page.keyboard.type('0');
    await page.keyboard.press('Enter');
    await page.getByText(/^Deleted 120 users/).waitFor();
    expect(await canLeave(console)).toBe(true);
    await expect.poll(() => console.names()).toHaveLength(0);
    await page.keyboard.press('Control+z');
    await page.getByText('Undone: Deleted 120 users').waitFor();
    await page.getByText(/^Deleted 120 users/).waitFor({ state: 'detached' });
    await console.clickButton('Dismiss');
    await page.getByText('120 selected').waitFor();
    expect(await count()).toBe(120);
    await console.makeUnsteady();
    await console.clickButton('Delete');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('120');
    await page.keyboard.press('Enter');
    await page.getByText(/^Deleted 120 users/).waitFor();
    await console.clickButton('Dismiss');
    const bar = page.getByRole('region', { name: 'Bulk job' });
    await bar.getByRole('button', { name: 'Pause' }).click();
    await bar.getByText('Deleting, paused: 0 of 120 users').waitFor();
    await bar.getByRole('button', { name: 'Continue' }).click();
    await bar.getByText('Deleting: 50 of 120 users').waitFor();
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/^Cancelled: deleted (50|100) of 120 users$/).waitFor();
    expect([20, 70]).toContain(await count());
  });

  testOnce(screen)('adds values to lists, and reports failed users with the reason', async () => {
    await createUser(service.url, 'Ada', { tags: ['a', 'b', 'c'] });
    const { id } = await createUser(service.url, 'Grace', { tags: ['b'] });
    await createUser(service.url, 'Alan', { seats: 7 });
    await using console = await open('/');
    const { page } = console;
    const edit = async (field: string, action: string, text: string) => {
      await console.clickButton('Edit field…');
      await page.getByLabel('Field', { exact: true }).selectOption(field);
      await page.getByRole('radio', { name: action }).check();
      if (text) await page.getByRole('dialog').getByLabel(field, { exact: true }).focus();
      if (text) await page.keyboard.type(text);
      await page.getByRole('button', { name: 'Change 3 users' }).press('Enter');
    };
    const readTags = async () => {
      const users = (await (await fetch(`${service.url}/v1/users`)).json()) as { tags?: string[] }[];
      return users.map(({ tags }) => tags);
    };
    await page.getByRole('checkbox', { name: 'Select all users of this page' }).press('Space');
    await edit('Tags', 'Add', 'b, d');
    await page.getByText('Of 3 users, some were not changed: Ada: tags').waitFor();
    await page.getByText('Changed Tags of 2 users').waitFor();
    expect(await readTags()).toEqual([
      ['a', 'b', 'c'],
      ['b', 'd'],
      ['b', 'd'],
    ]);
    await console.clickButton('Show');
    await page
      .getByRole('dialog', { name: 'Of 3 users, some were not changed' })
      .getByRole('cell', { name: 'Ada' })
      .waitFor();
    await console.inspect('console-bulk-failures');
    await console.clickButton('Close');
    await changeUser(service.url, id, { tags: ['x'] });
    await page.keyboard.press('Control+z');
    await page.getByText('Of 2 users, some were not restored: Grace: Tags was changed elsewhere since').waitFor();
    expect(await readTags()).toEqual([['a', 'b', 'c'], ['x'], undefined]);
    await edit('Tags', 'Remove', 'x');
    await page.getByText('Changed Tags of 1 user; 2 stay as they were').waitFor();
    await edit('Seats', 'Clear', '');
    await page.getByText('Changed Seats of 1 user; 2 stay as they were').waitFor();
    expect(await readTags()).toEqual([['a', 'b', 'c'], undefined, undefined]);
  });
});
