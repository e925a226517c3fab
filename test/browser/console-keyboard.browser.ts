import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest(['--auth', '--fields', 'test/setup/filter-fields.json', '--sample', '30']);

test('a day of work needs no mouse, and the palette has each action', async () => {
  await using console = await ConsolePage.open(browser, screens[0] ?? expect.unreachable(), service.url);
  const { page } = console;
  const { keyboard } = page;
  const palette = page.getByRole('dialog', { name: 'Palette' });
  const run = async (command: string | RegExp, text = String(command)) => {
    // Otherwise "Save" would also match "Profile unsaved".
    const option = { name: typeof command === 'string' ? new RegExp(`^${command}`) : command };
    // Dialogs and menus take about 20 ms to close, and until then keep the page's keys.
    await expect.poll(() => page.getByRole('dialog').or(page.getByRole('menu')).count()).toBe(0);
    await keyboard.press('ControlOrMeta+k');
    await palette.getByRole('combobox').and(page.locator(':focus')).waitFor();
    await keyboard.type(text);
    await palette.getByRole('option', option).first().waitFor();
    while ((await palette.getByRole('option', { ...option, selected: true }).count()) === 0)
      await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
  };
  const waitForFocus = (name: string | RegExp) => expect.poll(() => console.readFocus()).toMatch(name);

  await console.tabTo('Sign in as developer');
  await keyboard.press('Enter');
  await page.locator('tbody a').first().waitFor();

  // Search, open, edit, save, undo.
  const [name = ''] = await console.names();
  await run('Search the list');
  await keyboard.type(name);
  await page.waitForURL(/q=/);
  await expect.poll(async () => (await console.names())[0]).toBe(name);
  await console.waitForList();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  const field = page.getByLabel('User', { exact: true }).getByLabel('Name *');
  await field.waitFor();
  while (!(await field.evaluate((element) => element === document.activeElement))) await keyboard.press('Tab');
  await keyboard.press('End');
  await keyboard.type(' Edited');
  await run('Save');
  await page.getByText(`Saved ${name} Edited. Version 2.`).waitFor();
  await run('Undo');
  await page.getByText(`Undone: Saved ${name} Edited`).waitFor();
  await keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  await run('Search the list');
  await keyboard.press('ControlOrMeta+a');
  await keyboard.press('Delete');
  await expect.poll(() => console.names()).toHaveLength(20);

  // Filter, sort, select, edit many, undo.
  await run('Filter by Plan');
  await page.getByRole('menuitemcheckbox', { name: 'free' }).waitFor();
  await keyboard.press('Enter');
  await keyboard.press('Escape');
  await page.waitForURL(/filter\.plan=free/);
  await run('Sort: Name, Z to A');
  await page.waitForURL(/sort=name&order=desc/);
  await console.waitForList();
  await run('Select all users of this page');
  await page.getByRole('region', { name: 'Selected users' }).waitFor();
  await run('Edit field…');
  await page.getByRole('dialog', { name: /^Edit a field of/ }).waitFor();
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await keyboard.type('team');
  await console.tabTo('Cancel');
  await keyboard.press('Tab');
  await waitForFocus(/^Change \d+ users$/);
  await keyboard.press('Enter');
  await page.getByText(/^Changed .* of \d+ users/).waitFor();
  await keyboard.press('ControlOrMeta+z');
  await page.getByText(/^Undone: Changed/).waitFor();

  // Delete, restore.
  await run('Clear the selection');
  await page.locator('tbody a').first().waitFor();
  const [deleted = ''] = await console.names();
  await run(new RegExp(deleted), deleted);
  await field.waitFor();
  await run('Delete user');
  await page.getByText(`Deleted ${deleted}`).waitFor();
  await run(/^Dismiss ?Deleted/, 'Dismiss');
  await run('Show changes');
  // The change arrives after the deletion's answer.
  await page.getByRole('region', { name: 'Activity' }).getByRole('button', { name: deleted }).first().waitFor();
  await console.tabTo(deleted);
  await keyboard.press('Enter');
  await run('History');
  await run('Restore this user');
  await page.getByText(`Restored ${deleted}`).waitFor();

  // Import, export, sign out.
  await run('Import users');
  await page.getByRole('dialog', { name: 'Import users' }).waitFor();
  const chooser = page.waitForEvent('filechooser');
  await console.tabTo('Choose a file');
  await keyboard.press('Enter');
  const buffer = Buffer.from('name,email\nZoe,zoe@example.org\n');
  await (await chooser).setFiles({ name: 'users.csv', mimeType: 'text/csv', buffer });
  await page.getByText('1 row can be imported.').waitFor();
  await console.tabTo('Import 1 row');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
  await keyboard.press('Escape');
  const download = page.waitForEvent('download');
  await run(/^Export .* as CSV$/, 'as CSV');
  await download;
  await run('Sign out');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
