import { readFile } from 'node:fs/promises';
import type { Browser, Download } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers, deleteUser, readUser, renameUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const FIELDS = ['--fields', 'test/setup/own-fields.json'];

describe.each(screens)('the selection of users at $name', (screen) => {
  const service = startServicePerTest(FIELDS);

  async function open() {
    const console = await ConsolePage.open(browser, screen, service.url);
    await console.page.locator('tbody a').first().waitFor();
    return console;
  }
  const check = (console: ConsolePage, name: string, modifiers: 'Shift'[] = []) =>
    console.page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click({ modifiers });
  const readSelected = (console: ConsolePage) =>
    console.page
      .locator('td [type="checkbox"]')
      .evaluateAll((boxes) =>
        (boxes as HTMLInputElement[]).filter(({ checked }) => checked).map(({ ariaLabel }) => ariaLabel?.slice(7)),
      );

  test('selects by checkbox, range, key and page; another page starts without a selection', async () => {
    await createUsers(service.url, 45);
    await using console = await open();
    const { page } = console;
    await check(console, 'Alan Turing 45');
    await check(console, 'Barbara Liskov 41', ['Shift']);
    const five = ['Alan Turing 45', 'Grace Hopper 44', 'Ada Lovelace 43', 'Donald Knuth 42', 'Barbara Liskov 41'];
    expect(await readSelected(console)).toEqual(five);
    await page.getByText('5 selected').waitFor();
    // No click has opened a user.
    expect(new URL(page.url()).search).toBe('');
    await console.inspect('console-selection');
    // The rest does not depend on the screen.
    if (screen !== screens[0]) return;

    await check(console, 'Grace Hopper 44');
    await check(console, 'Donald Knuth 42', ['Shift']);
    expect(await readSelected(console)).toEqual(['Alan Turing 45', 'Barbara Liskov 41']);

    await page.getByRole('link', { name: 'Ada Lovelace 43' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Space');
    expect(await readSelected(console)).toEqual([
      'Alan Turing 45',
      'Ada Lovelace 43',
      'Donald Knuth 42',
      'Barbara Liskov 41',
    ]);
    await page.keyboard.press('Escape');
    expect(await readSelected(console)).toEqual([]);

    await check(console, 'Alan Turing 45');
    await console.clickButton('Select all 20');
    expect(await readSelected(console)).toHaveLength(20);
    await page.getByRole('button', { name: 'Page 2 of 3' }).click();
    await expect.poll(() => console.names()).toContain('Alan Turing 21');
    expect(await readSelected(console)).toEqual([]);
    await page.goBack();
    await expect.poll(() => console.names()).toContain('Alan Turing 45');
    expect(await readSelected(console)).toEqual([]);
  });

  test('deletes the selected users at once; an undo shows and selects them again', async () => {
    const users = await createUsers(service.url, 4);
    await using console = await open();
    const { page } = console;
    for (const name of ['Edsger Dijkstra 4', 'Alan Turing 3']) await check(console, name);
    await console.clickButton('Delete');
    await expect.poll(() => console.names()).toEqual(['Grace Hopper 2', 'Ada Lovelace 1']);
    await expect.poll(() => console.readFocus()).toBe('Users');
    await page.getByText(/^Deleted 2 users/).waitFor();
    await console.inspect('console-deleted-selected');
    await console.clickButton('Undo');
    await expect.poll(() => console.names()).toHaveLength(4);
    expect(await readSelected(console)).toEqual(['Edsger Dijkstra 4', 'Alan Turing 3']);
    expect(await readUser(service.url, users[3]?.id ?? '')).toMatchObject({ name: 'Edsger Dijkstra 4' });
    await console.clickButton('Delete');
    await page.getByText(/^Deleted 2 users/).waitFor();
    await page.goto('about:blank');
    await expect.poll(() => readUser(service.url, users[3]?.id ?? '').catch(() => 'gone')).toBe('gone');
  });

  test('a selected user that changed is shown again instead of deleted, and deleted by a second click', async () => {
    const users = await createUsers(service.url, 4);
    await using console = await open();
    const { page } = console;
    for (const name of ['Edsger Dijkstra 4', 'Alan Turing 3', 'Grace Hopper 2']) await check(console, name);
    await console.clickButton('Delete');
    await renameUser(service.url, users[1]?.id ?? '', 'Grace Murray Hopper');
    await deleteUser(service.url, users[2]?.id ?? '');
    await console.clickButton('Dismiss');
    await page
      .getByRole('alert')
      .getByText('Of 3 users, some were not deleted: Grace Hopper 2: The user has changed')
      .waitFor();
    await expect.poll(() => readSelected(console)).toEqual(['Grace Murray Hopper']);
    await console.inspect('console-not-deleted');
    await console.clickButton('Delete');
    await page.getByText('Deleted Grace Murray Hopper').waitFor();
    await expect.poll(() => console.names()).toEqual(['Ada Lovelace 1']);
    expect(await readUser(service.url, users[0]?.id ?? '')).toMatchObject({ name: 'Ada Lovelace 1' });
  });

  test('exports the selected users with their own fields, and copies their ids', async () => {
    const ada = await createUser(service.url, 'Ada Lovelace', { nickname: '=1+1', age: 36, tags: ['a', 'b'] });
    const grace = await createUser(service.url, 'Grace Hopper', { score: -2.5 });
    await createUser(service.url, 'Alan Turing');
    await using console = await open();
    const { page } = console;
    await check(console, 'Ada Lovelace');
    await check(console, 'Grace Hopper');
    const exportAs = async (format: RegExp): Promise<Download> => {
      await console.clickButton('Export');
      const item = page.getByRole('menuitem', { name: format });
      await item.waitFor();
      if (format.source === 'CSV') await console.inspect('console-export-menu');
      const [download] = await Promise.all([page.waitForEvent('download'), item.click()]);
      return download;
    };
    const csv = await exportAs(/CSV/);
    expect(csv.suggestedFilename()).toBe('users.csv');
    const [head, first, second, ...rest] = (await readFile(await csv.path(), 'utf8')).split('\n');
    expect(head).toBe(
      '\ufeffid,name,email,nickname,memberNumber,plan,age,seat,score,isStaff,birthday,lastSeenAt,tags,phone,createdAt,updatedAt,version',
    );
    expect(first).toMatch(`${grace.id},Grace Hopper,grace.hopper@example.org,,,free,,,-2.5,false,,,,,`);
    expect(second).toMatch(
      `${ada.id},Ada Lovelace,ada.lovelace@example.org,'=1+1,,free,36,,,false,,,"[""a"",""b""]",,`,
    );
    expect(second).toMatch(/Z,1$/);
    expect(rest).toEqual(['']);

    await console.clickButton('Export');
    await page.getByText('CSV has an apostrophe before texts such as +49 170').waitFor();
    await page.getByRole('menuitemcheckbox', { name: 'For other programs: no apostrophes' }).click();
    await page.keyboard.press('Escape');
    const plain = await exportAs(/CSV, for/);
    expect(await readFile(await plain.path(), 'utf8')).toContain('ada.lovelace@example.org,=1+1,');

    const ndjson = await exportAs(/NDJSON/);
    const lines = (await readFile(await ndjson.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).nickname)).toEqual([undefined, '=1+1']);

    await console.clickButton('Copy ids');
    await console.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${grace.id}\n${ada.id}`);
  });
});
