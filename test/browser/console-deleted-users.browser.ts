import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changeUser, createUser, deleteUser, mergeUsers, readUser, type User } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest();

async function createDeleted(name: string): Promise<User> {
  const user = await createUser(service.url, name);
  await deleteUser(service.url, user.id);
  return user;
}

const findRows = ({ page }: ConsolePage) =>
  page.getByRole('list', { name: 'Deleted users, latest deletion first' }).getByRole('listitem');

async function runCommand({ page }: ConsolePage, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a user or a command' }).pressSequentially(name);
  await page.getByRole('option', { name }).waitFor();
  await page.keyboard.press('Enter');
}

describe.each(screens)('deleted users at $width pixels', (screen) => {
  test('are listed with time and caller, and restored with an undo', async () => {
    const ada = await createDeleted('Ada Lovelace');
    await createDeleted('Grace Hopper');
    await createUser(service.url, 'Alan Turing');
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await runCommand(console, 'Show deleted users');
    const rows = findRows(console);
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().innerText()).toMatch(
      /Grace Hopper[\s\S]*deleted just now by anonymous, restorable until /,
    );
    expect(await rows.last().innerText()).toContain(ada.email);
    await console.inspect('deleted-users');
    await console.clickButton('Restore Ada Lovelace');
    await page.getByText('Restored Ada Lovelace').waitFor();
    expect(await readUser(service.url, ada.id)).toMatchObject(ada);
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => console.readFocus()).toBe('Read again');
    // The open list does not cover the notice on phones.
    await page.getByRole('button', { name: 'Undo' }).click({ timeout: 30_000 });
    await page.getByText('Undone: Restored Ada Lovelace').waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.first().innerText()).toContain('Ada Lovelace');
  });

  testOnce(screen)(
    'names the reason if an address is taken meanwhile, and leads to the history and erasure',
    async () => {
      const { id, email } = await createDeleted('Former Owner');
      const owner = await createUser(service.url, 'Present Owner');
      await changeUser(service.url, owner.id, { email });
      await using console = await ConsolePage.open(browser, screen, service.url);
      const { page } = console;
      await console.showActivity('Deleted users');
      await console.clickButton('Restore Former Owner');
      await findRows(console).getByText('Another user has this email').waitFor();
      await findRows(console).getByRole('link', { name: 'Former Owner', exact: true }).click();
      await page.getByRole('group', { name: 'Restore' }).waitFor();
      await page.getByRole('link', { name: 'Erase Former Owner' }).click();
      expect(new URL(page.url()).search).toBe(`?user=${id}&tab=privacy`);
      await console.clickButton('Erase this person');
      await console.clickButton('Erase for good');
      await page.getByRole('region', { name: 'Erasure confirmation' }).waitFor();
      await expect.poll(() => findRows(console).count()).toBe(0);
      await page.getByText('0 users can be restored').waitFor();
    },
  );

  testOnce(screen)('undoes a merge, which a restore of one user would not', async () => {
    const [kept, other] = [await createUser(service.url, 'Ada King'), await createUser(service.url, 'Ada Lovelace')];
    await mergeUsers(service.url, kept.id, other.id);
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await console.showActivity('Deleted users');
    await findRows(console).getByText('merged just now').waitFor();
    await console.clickButton('Undo the merge of Ada Lovelace');
    await page.getByText('Undid the merge of Ada Lovelace').waitFor();
    expect(await readUser(service.url, other.id)).toMatchObject(other);
    await expect.poll(() => findRows(console).count()).toBe(0);
  });
});
