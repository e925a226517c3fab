import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers, readUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest();

const open = (screen: Screen, path: string) => ConsolePage.open(browser, screen, `${service.url}${path}`);
const nameField = ({ page }: ConsolePage) => page.getByLabel('Name', { exact: true });

describe.each(screens.slice(0, 1))('Ctrl+Z in the console', (screen) => {
  test('undoes a save in the field where Enter saved it', async () => {
    const { id } = await createUser(service.url, 'Undo Save');
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).click();
    await console.page.keyboard.type(' Typed');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Version 2.').waitFor();
    await console.page.keyboard.press('Control+z');
    await console.page.getByText('Undone: Saved').waitFor();
    await expect.poll(() => nameField(console).inputValue()).toBe('Undo Save');
    expect(await readUser(service.url, id)).toMatchObject({ name: 'Undo Save' });
    expect(await console.page.getByText('Unsaved', { exact: true }).count()).toBe(0);
  });

  test('undoes unsaved typing first, then the save', async () => {
    const { id } = await createUser(service.url, 'Undo Typing');
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).fill('Undo Saved');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Version 2.').waitFor();
    await console.page.keyboard.type('!');
    await console.page.keyboard.press('Control+z');
    expect(await nameField(console).inputValue()).toBe('Undo Saved');
    expect(await console.page.getByText('Undone').count()).toBe(0);
    await console.page.keyboard.press('Control+z');
    await console.page.getByText('Undone: Saved').waitFor();
    await expect.poll(() => nameField(console).inputValue()).toBe('Undo Typing');
  });

  test('undoes typing in the search although a notice offers to undo a save', async () => {
    const { id } = await createUser(service.url, 'Undo Search');
    await using console = await open(screen, `/?user=${id}`);
    await nameField(console).fill('Undo Searched');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Version 2.').waitFor();
    await console.search.click();
    await console.page.keyboard.type('ada');
    await console.page.keyboard.press('Control+z');
    expect(await console.search.inputValue()).not.toBe('ada');
    expect(await readUser(service.url, id)).toMatchObject({ name: 'Undo Searched' });
  });

  test('undoes the creation of a post from its title field', async () => {
    const { id } = await createUser(service.url, 'Undo Post');
    await using console = await open(screen, `/?user=${id}&tab=posts`);
    await console.page.getByLabel('Title of the new post').fill('Notes');
    await console.page.keyboard.press('Enter');
    await console.page.getByText('Created “Notes”').waitFor();
    await console.page.getByLabel('Title of the new post').press('Control+z');
    await console.page.getByText('Undone: Created “Notes”').waitFor();
    await console.page.getByTestId('post').waitFor({ state: 'detached' });
  });
});

describe.each(screens)('deleting many users at $name', (screen) => {
  test('asks before it deletes more than ten users; an undo shows all of them again', async () => {
    await createUsers(service.url, 11);
    await using console = await open(screen, '/');
    const { page } = console;
    await expect.poll(() => console.names()).toHaveLength(11);
    await page.getByRole('checkbox', { name: 'Select Ada Lovelace 1', exact: true }).click();
    await console.clickButton('Select all 11');
    await console.clickButton('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete 11 users?' });
    await dialog.waitFor();
    await console.inspect('console-confirm-deletion');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await console.names()).toHaveLength(11);
    await console.clickButton('Delete');
    await dialog.getByRole('button', { name: 'Delete 11 users' }).click();
    await expect.poll(() => console.names()).toHaveLength(0);
    await expect.poll(() => console.readFocus()).toBe('Users');
    await page.keyboard.press('Control+z');
    await expect.poll(() => console.names()).toHaveLength(11);
    await page.getByRole('checkbox', { name: 'Select Ada Lovelace 1', exact: true }).click();
    await console.clickButton('Delete');
    await expect.poll(() => console.names()).toEqual(['Ada Lovelace 1']);
    expect(await dialog.count()).toBe(0);
  });
});
