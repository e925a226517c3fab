import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { changeGroup, createGroup, createUser, readUser, type User } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest([], { environment: { GROUPS: 'on', MAX_GROUPS: '20' } });

type Membership = { id: string; role: string };

async function readGroups({ id }: User): Promise<Membership[]> {
  return ((await readUser(service.url, id)) as User & { groups: Membership[] }).groups;
}

async function runCommand({ page }: ConsolePage, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a user or a command' }).pressSequentially(name);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
}

/** Chooses the first match with the keyboard. */
async function choose({ page }: ConsolePage, field: string, text: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).pressSequentially(text);
  await page.getByRole('option', { name: choice }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

describe.each(screens)('groups at $width pixels', (screen) => {
  test('are created, filled by an address, changed, and deleted with their members', async () => {
    const ada = await createUser(service.url, 'Ada Lovelace');
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await runCommand(console, 'New group');
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Acme');
    await page.keyboard.press('Tab');
    await page.keyboard.type('org_17');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor();
    await page.getByText('The group has no members.').waitFor();
    expect(await page.title()).toBe('Acme – Groups');
    const id = new URL(page.url()).searchParams.get('groups') ?? '';

    await choose(console, 'Add a user', ada.email, 'Ada Lovelace');
    await page.getByLabel('Role', { exact: true }).selectOption('admin');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByText('Added Ada Lovelace').waitFor();
    await page.getByRole('combobox', { name: 'Role of Ada Lovelace' }).waitFor();
    expect(await readGroups(ada)).toEqual([{ id, role: 'admin' }]);
    await page.getByRole('combobox', { name: 'Add a user' }).pressSequentially('ada');
    expect(await page.getByRole('option', { name: /, a member$/ }).isDisabled()).toBe(true);
    await console.inspect('group');
    await page.keyboard.press('Escape');

    await page.getByRole('combobox', { name: 'Role of Ada Lovelace' }).selectOption('member');
    await page.getByText('Ada Lovelace is now member of Acme').waitFor();
    expect(await readGroups(ada)).toEqual([{ id, role: 'member' }]);
    await page.getByRole('button', { name: 'Remove Ada Lovelace' }).press('Enter');
    await page.getByText('The group has no members.').waitFor();
    expect(await readGroups(ada)).toEqual([]);
    await page.getByText('Removed Ada Lovelace from Acme').waitFor();
    await page.getByRole('heading', { name: 'Members' }).press('Control+z');
    await page.getByRole('combobox', { name: 'Role of Ada Lovelace' }).waitFor();
    expect(await readGroups(ada)).toEqual([{ id, role: 'member' }]);

    await page.getByRole('button', { name: 'Edit' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).fill('Acme Ltd');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Acme Ltd', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Delete…' }).press('Enter');
    await page.getByText('The group has 1 member. Its deletion cannot be undone.').waitFor();
    expect(await page.getByRole('button', { name: 'Delete the group' }).isDisabled()).toBe(true);
    await console.inspect('group-deletion');
    await page.getByRole('checkbox', { name: 'Remove the members from the group' }).press('Space');
    await page.getByRole('button', { name: 'Delete the group' }).press('Enter');
    await page.getByText('No groups yet.').waitFor();
    expect(await readGroups(ada)).toEqual([]);
  });

  test('are in the form and the filter of users, and in the history', async () => {
    const { id } = await createGroup(service.url, 'Globex', 'org_2');
    const ada = await createUser(service.url, 'Ada Lovelace');
    await createUser(service.url, 'Grace Hopper', { groups: [{ id }] });
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${ada.id}`);
    const { page } = console;
    await choose(console, 'Add to a group', 'glo', 'Globex (org_2)');
    await page.getByRole('combobox', { name: 'Role in Globex' }).selectOption('admin');
    await console.inspect('memberships');
    await console.clickButton('Save');
    await page.getByText('Saved Ada Lovelace').waitFor();
    expect(await readGroups(ada)).toEqual([{ id, role: 'admin' }]);
    await console.openTab('History');
    await page.getByRole('region', { name: 'History' }).getByText('Globex (admin)').waitFor();
    await console.clickButton('Close');

    await console.openFilter('Group');
    await choose(console, 'Group', 'glo', 'Globex (org_2)');
    await page.getByRole('dialog').getByLabel('Role').selectOption('admin');
    await page.getByRole('button', { name: 'Apply' }).press('Enter');
    await page.getByRole('button', { name: 'Filter by Group: Globex, admin' }).waitFor();
    await expect.poll(() => console.names()).toEqual(['Ada Lovelace']);
    await console.inspect('group-filter');

    await page.getByRole('link', { name: 'Groups', exact: true }).click();
    await page.getByRole('searchbox').fill('org_2');
    await page.getByRole('link', { name: 'Globex' }).click();
    await page.getByRole('combobox', { name: 'Role of Grace Hopper' }).waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('admin');
    await expect.poll(() => page.getByRole('combobox', { name: /^Role of/ }).count()).toBe(1);
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('button', { name: 'Remove from Globex' }).press('Enter');
    await console.clickButton('Save');
    await page.getByText('Saved Ada Lovelace. Version 3.').waitFor();
    expect(await readGroups(ada)).toEqual([]);
    await console.clickButton('Close');
    await page.getByText('Nobody has this role.').waitFor();
  });

  testOnce(screen)('get selected users, who keep a role that they have, with an undo', async () => {
    const { id } = await createGroup(service.url, 'Acme');
    const ada = await createUser(service.url, 'Ada Lovelace');
    const grace = await createUser(service.url, 'Grace Hopper', { groups: [{ id, role: 'admin' }] });
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await page.getByRole('checkbox', { name: 'Select all users of this page' }).press('Space');
    await page.getByRole('button', { name: 'Add to group…' }).press('Enter');
    await choose(console, 'Group', 'acme', 'Acme');
    await console.inspect('add-to-group');
    await console.clickButton('Add 2 users');
    await page.getByText('Changed Groups of 1 user; 1 stay as they were').waitFor();
    expect(await readGroups(ada)).toEqual([{ id, role: 'member' }]);
    expect(await readGroups(grace)).toEqual([{ id, role: 'admin' }]);
    await console.clickButton('Undo');
    await page.getByText('Undone: Changed Groups of 1 user').waitFor();
    expect(await readGroups(ada)).toEqual([]);
  });

  testOnce(screen)('are named, although a user is in more groups than a request can name', async () => {
    const names = Array.from({ length: 16 }, (_, at) => `Company ${at + 1}`);
    const groups = await Promise.all(names.map((name) => createGroup(service.url, name)));
    const ada = await createUser(service.url, 'Ada Lovelace', { groups: groups.map(({ id }) => ({ id })) });
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${ada.id}&tab=history`);
    const shown = names.map((name) => `${name} (member)`).join(', ');
    await console.page.getByRole('region', { name: 'History' }).getByText(shown).waitFor();
  });

  testOnce(screen)('are imported with new users', async () => {
    const { id } = await createGroup(service.url, 'Acme');
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    const groups = JSON.stringify([{ id, role: 'admin' }]);
    const text = `name,email,groups\nAda Lovelace,ada@example.org,"${groups.replaceAll('"', '""')}"\n`;
    await page.getByRole('button', { name: 'Import users' }).click();
    const file = { name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('File to import').setInputFiles(file);
    await console.clickButton('Import 1 row');
    await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'Acme (admin)' }).waitFor();
  });

  testOnce(screen)('keep typed text when another client changes or deletes the group', async () => {
    const { id } = await createGroup(service.url, 'Acme', 'org_1');
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await page.goto(`${service.url}/?groups=${id}`);
    await console.clickButton('Edit');
    const name = page.getByRole('dialog').getByLabel('Name');
    await name.fill('Typed');
    await changeGroup(service.url, 'updateGroup', { id, externalId: 'org_2' });
    await console.clickButton('Save');
    await page.getByText('It was changed elsewhere to “Acme, org_2”.').waitFor();
    expect(await name.inputValue()).toBe('Typed');
    await console.inspect('group-conflict');
    await console.clickButton('Save');
    await page.getByText('Saved Typed').waitFor();
    await page.getByText('org_2').waitFor();
    await changeGroup(service.url, 'updateGroup', { id, name: 'Theirs' });
    await console.clickButton('Undo');
    await page.getByText('Not undone: it was changed elsewhere since').waitFor();
    await console.clickButton('Edit');
    await name.fill('Typed again');
    await changeGroup(service.url, 'deleteGroup', { id });
    await console.clickButton('Save');
    await page.getByText('You had typed “Typed again, org_2”.').waitFor();
    await console.clickButton('Discard');
  });

  testOnce(screen)('name a taken external id, and a group that was deleted elsewhere', async () => {
    await createGroup(service.url, 'Acme', 'org_1');
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await runCommand(console, 'Acme');
    await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor();
    await runCommand(console, 'Show groups');
    await console.clickButton('New group');
    await page.getByRole('textbox', { name: 'Name' }).fill('Other');
    await page.getByRole('textbox', { name: 'External id' }).fill('org_1');
    await page.keyboard.press('Enter');
    await page.getByText('Another group has this externalId').waitFor();
    await page.goto(`${service.url}/?groups=01a1fc2b-0000-7000-8000-000000000000`);
    await page.getByText('This group does not exist.').waitFor();
  });
});
