import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser, createUsers, type User } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

let users: User[];
let king: User;
let chinese: User;
const service = startSharedService([], {
  fill: async (url) => {
    users = await createUsers(url, 30);
    chinese = await createUser(url, '李 明');
    king = await createUser(url, 'Ada King');
  },
});

const nameField = ({ page }: ConsolePage) => page.getByLabel('Name', { exact: true });
const search = (console: ConsolePage) => console.search;
const readClipboard = ({ page }: ConsolePage) => page.evaluate(() => navigator.clipboard.readText());
const readPath = ({ page }: ConsolePage) => new URL(page.url()).search;

describe.each(screens)('finding users in the console at $name', (screen) => {
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);

  testOnce(screen)('pasted text with an id opens the user, or reports an unknown id', async () => {
    const oldest = users[0] as User;
    await using console = await open();
    await search(console).fill(`Ticket 7: user ${oldest.id.toUpperCase()} cannot sign in`);
    await expect.poll(() => nameField(console).inputValue()).toBe(oldest.name);
    await console.clickButton('Close');
    expect(await search(console).inputValue()).toBe('');
    await search(console).fill('01975000-0000-7000-8000-000000000000');
    await console.page.getByText('There is no such user').waitFor();
  });

  testOnce(screen)('an address opens its owner, and Enter opens the first match', async () => {
    const user = users[3] as User;
    await using console = await open();
    await console.page.evaluate((text) => navigator.clipboard.writeText(text), user.email.toUpperCase());
    await search(console).focus();
    await console.page.keyboard.press('ControlOrMeta+v');
    await expect.poll(() => nameField(console).inputValue()).toBe(user.name);
    await console.clickButton('Close');
    await search(console).fill(king.email);
    await search(console).press('Enter');
    await expect.poll(() => nameField(console).inputValue()).toBe(king.name);
    await console.clickButton('Close');
    await search(console).fill('king');
    await expect.poll(() => console.names()).toEqual([king.name]);
    await console.waitForList();
    await search(console).press('Enter');
    await expect.poll(() => nameField(console).inputValue()).toBe(king.name);
  });

  testOnce(screen)(
    'Enter opens the first match of what was just typed, not the first user of the list before',
    async () => {
      await using console = await open();
      await expect.poll(() => console.names()).toHaveLength(20);
      const answer = await console.holdAnswers('**/v1/users?*q=edsger*', async () => {
        await search(console).fill('edsger');
        await search(console).press('Enter');
      });
      expect(readPath(console)).toBe('?q=edsger');
      answer();
      await expect.poll(() => readPath(console)).toContain('user=');
      await expect.poll(() => nameField(console).inputValue()).toMatch(/^Edsger/);
      await console.clickButton('Close');
      await search(console).fill('e');
      await search(console).press('Enter');
      await console.page.waitForURL(/q=e$/);
      await console.waitForList();
      expect(readPath(console)).toBe('?q=e');
    },
  );

  testOnce(screen)('one Chinese character starts a search, and two Latin letters', async () => {
    await using console = await open();
    await search(console).fill('a');
    await console.page.getByText('One more character').waitFor();
    await search(console).fill('李');
    await expect.poll(() => console.names()).toEqual([chinese.name]);
    expect(await console.page.getByText('One more character').count()).toBe(0);
    await search(console).press('Enter');
    await expect.poll(() => nameField(console).inputValue()).toBe(chinese.name);
  });

  testOnce(screen)('finds words in any order', async () => {
    await using console = await open();
    await search(console).pressSequentially('king ada');
    await expect.poll(() => console.names()).toEqual([king.name]);
    expect(await search(console).inputValue()).toBe('king ada');
    await search(console).fill('太郎');
    await expect.poll(() => console.names()).toEqual([]);
    await search(console).fill(`"King, Ada" <${king.email.toUpperCase()}>;`);
    await expect.poll(() => console.names()).toEqual([king.name]);
  });

  async function openPalette({ page }: ConsolePage) {
    await page.keyboard.press('ControlOrMeta+k');
    const field = page.getByRole('combobox', { name: 'Find a user or a command' });
    await field.waitFor();
    const listbox = page.getByRole('listbox', { name: 'Users and commands' });
    return { field, selected: listbox.getByRole('option', { selected: true }) };
  }

  test('the palette finds users and announces them to screen readers', async () => {
    await using console = await open();
    const { field, selected } = await openPalette(console);
    await console.inspect('console-palette');
    await field.fill('hop');
    await console.page
      .getByRole('option', { name: /Grace Hopper/ })
      .first()
      .waitFor();
    await console.inspect('console-palette-users');
    await field.press('ArrowDown');
    expect(await field.getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'));
  });

  testOnce(screen)('the palette receives all characters typed after its shortcut', async () => {
    await using console = await open();
    // The first key would open the form of a new user.
    await console.page.keyboard.press('ControlOrMeta+k');
    await console.page.keyboard.type('new u');
    await expect.poll(() => console.page.locator('[aria-controls="palette-list"]').inputValue()).toBe('new u');
    expect(readPath(console)).toBe('');
  });

  testOnce(screen)('the palette lists each view of the activity once', async () => {
    await using console = await open();
    const { field } = await openPalette(console);
    for (const [text, label] of [
      ['deleted us', 'Show deleted users'],
      ['by day', 'Show changes by day'],
    ] as const) {
      await field.fill(text);
      await expect.poll(() => console.page.locator('#palette-list [role="option"]').allTextContents()).toEqual([label]);
    }
  });

  testOnce(screen)('Escape closes the palette and restores the focus', async () => {
    await using console = await open();
    await console.page.getByRole('link', { name: 'Ada King' }).focus();
    const { field } = await openPalette(console);
    await field.press('Escape');
    await expect.poll(() => console.readFocus()).toBe('Ada King');
    expect(readPath(console)).toBe('');
  });

  test('a command of the palette changes the colors', async () => {
    await using console = await open();
    const { field } = await openPalette(console);
    await field.fill('colors');
    await field.press('Enter');
    const other = screen.colorScheme === 'light' ? 'dark' : 'light';
    await console.page.locator(`[data-mantine-color-scheme="${other}"]`).waitFor();
  });

  testOnce(screen)('the palette opens a user by the id', async () => {
    await using console = await open();
    const { field } = await openPalette(console);
    await field.fill(users[0]?.id ?? '');
    await field.press('Enter');
    await expect.poll(() => nameField(console).inputValue()).toBe('Ada Lovelace 1');
  });

  testOnce(screen)('the palette begins with the commands for the open user', async () => {
    await using console = await open(`/?user=${users[0]?.id}`);
    await nameField(console).waitFor();
    const { field, selected } = await openPalette(console);
    await expect.poll(() => selected.textContent()).toMatch(/^Copy link/);
    await field.press('Enter');
    await console.page.getByText('Copied the link').waitFor();
    expect(await readClipboard(console)).toBe(console.page.url());
  });

  testOnce(screen)('Enter in the palette opens a match of the current text, not of the previous one', async () => {
    await using console = await open();
    await console.page.keyboard.press('ControlOrMeta+k');
    const field = console.page.getByRole('combobox', { name: 'Find a user or a command' });
    await field.pressSequentially('Grace');
    await console.page
      .getByRole('option', { name: /Grace Hopper/ })
      .first()
      .waitFor();
    const answer = await console.holdAnswers(/[?&]q=Ada(%20|\+)King(&|$)/, async () => {
      await field.press('ControlOrMeta+a');
      await field.pressSequentially('Ada King');
      await field.press('Enter');
    });
    expect(readPath(console)).toBe('');
    answer();
    await expect.poll(() => nameField(console).inputValue()).toBe(king.name);
  });

  test('the palette distinguishes a failed search from one without matches', async () => {
    await using console = await open();
    await console.page.keyboard.press('ControlOrMeta+k');
    const field = console.page.getByRole('combobox', { name: 'Find a user or a command' });
    await field.pressSequentially('nobody');
    await console.page.getByText('Nothing matches').waitFor();
    await console.page.route('**/v1/users?*', (route) =>
      route.fulfill({ status: 403, json: { message: 'The token lacks a scope' } }),
    );
    await field.pressSequentially('x');
    await console.page.getByText('The search has failed').waitFor();
    expect(await console.page.getByText('Nothing matches').count()).toBe(0);
    await console.inspect('console-palette-failed');
  });

  testOnce(screen)("Enter that confirms an input method's text opens no user", async () => {
    await using console = await open();
    const devTools = await console.page.context().newCDPSession(console.page);
    const compose = (text: string) =>
      devTools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await search(console).focus();
    await compose('king');
    await expect.poll(() => console.names()).toEqual([king.name]);
    await console.page.keyboard.press('Enter');
    await console.page.waitForTimeout(500);
    expect(readPath(console)).toBe('?q=king');
    await console.page.keyboard.press('ControlOrMeta+k');
    const field = console.page.getByRole('combobox', { name: 'Find a user or a command' });
    await field.waitFor();
    await compose('king');
    await console.page.getByRole('option', { name: king.name }).waitFor();
    await console.page.keyboard.press('Enter');
    await console.page.waitForTimeout(500);
    expect(readPath(console)).toBe('?q=king');
    await devTools.send('Input.insertText', { text: 'king' });
    await console.page.getByRole('option', { name: king.name }).waitFor();
    await console.page.keyboard.press('Enter');
    await expect.poll(() => nameField(console).inputValue()).toBe(king.name);
  });

  testOnce(screen)('a single key copies the link to the open user', async () => {
    await using console = await open();
    await console.page.getByRole('link', { name: 'Ada King' }).click();
    await expect.poll(() => nameField(console).inputValue()).toBe('Ada King');
    await console.page.keyboard.press('l');
    await console.page.getByText('Copied the link').waitFor();
    expect(await readClipboard(console)).toBe(`${service.url}/?user=${king.id}`);
  });

  test('single keys focus search and list, create a user and show help, unless turned off', async () => {
    await using console = await open();
    await expect.poll(() => console.names()).toHaveLength(20);
    await console.page.keyboard.press('/');
    await console.page.keyboard.press('ArrowDown');
    await expect.poll(() => console.readFocus()).toBe('Ada King');
    await console.page.keyboard.press('ArrowDown');
    await console.page.keyboard.press('ArrowUp');
    await console.page.keyboard.press('ArrowUp');
    await expect.poll(() => search(console).evaluate((field) => field === document.activeElement)).toBe(true);
    await console.page.keyboard.press('Escape');
    await console.page.keyboard.press('?');
    await console.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await console.inspect('console-keys');
    await console.page.keyboard.press('Escape');
    await console.page.getByRole('dialog').waitFor({ state: 'detached' });
    await console.page.keyboard.press('n');
    await expect.poll(() => nameField(console).evaluate((field) => field === document.activeElement)).toBe(true);
    await console.page.keyboard.type('n/?');
    expect(await nameField(console).inputValue()).toBe('n/?');
    await console.clickButton('Cancel');
    await console.page.keyboard.press('?');
    await console.page.getByRole('checkbox', { name: 'Single keys' }).uncheck();
    await console.page.keyboard.press('Escape');
    await console.page.getByRole('dialog').waitFor({ state: 'detached' });
    await console.page.keyboard.press('n');
    await console.page.keyboard.press('ControlOrMeta+k');
    await console.page.getByRole('combobox', { name: 'Find a user or a command' }).waitFor();
    expect(readPath(console)).toBe('');
  });
});
