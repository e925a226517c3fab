import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { changeUser, createUser, readUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const FIELDS = 'test/setup/own-fields.json';

describe.each(screens)('own fields in the console at $name', (screen) => {
  const service = startSharedService(['--fields', FIELDS]);
  const open = (path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
  const field = ({ page }: ConsolePage, name: string) => page.getByLabel('User', { exact: true }).getByLabel(name);
  /** Makes values unique among tests. */
  const number = screen.width;
  const memberNumber = `AB-${String(number).padStart(4, '0')}`;

  test("shows the API's issues beside their fields, and focuses the first", async () => {
    await using console = await open('/?user=new');
    await field(console, 'Name *').fill('Ada');
    await field(console, 'Email *').fill(`rejected-${number}@example.org`);
    await field(console, 'Member number').fill('AB');
    await field(console, 'Age').fill('151');
    await field(console, 'Tags').fill('math,');
    await console.page.keyboard.type('a tag of more than twenty characters');
    await console.page.keyboard.press('Enter');
    await console.clickButton('Create');
    await console.page.getByText('must be like AB-0042').waitFor();
    await console.page.getByText('must be at most 150').waitFor();
    await console.page.getByText('Item 2 must have at most 20 characters').waitFor();
    expect(await console.page.getByLabel('User', { exact: true }).getByRole('alert').count()).toBe(0);
    await console.page.locator('[aria-invalid=true]:focus').and(field(console, 'Member number')).waitFor();
    await console.inspect('console-own-fields-invalid');
  });

  test('creates a user with a value of every type, and shows the saved values', async () => {
    await using console = await open('/?user=new');
    await field(console, 'Name *').fill(`Ada ${number}`);
    await field(console, 'Email *').fill(`ada-${number}@example.org`);
    await field(console, 'Nickname').fill(`Countess ${number}`);
    await field(console, 'Member number').fill(memberNumber);
    await field(console, 'Plan').selectOption('team');
    await field(console, 'Age').fill('36');
    await field(console, 'Seat').fill(String(number));
    await field(console, 'Score').fill('-1.5');
    await field(console, 'Is staff').check();
    await field(console, 'Birthday').fill('1815-12-10');
    await field(console, 'Last seen at').fill('2026-07-31T12:00');
    await field(console, 'Tags').fill('math,');
    await console.page.keyboard.type('not wanted');
    await console.page.keyboard.press('Enter');
    await console.clickButton('Remove not wanted');
    await field(console, 'Phone Deprecated').fill('+44 1');
    await console.inspect('console-own-fields-new');
    await console.clickButton('Create');
    await console.page.getByText(`Created Ada ${number}`).waitFor();
    const { id, ...user } = await readUser(service.url, new URL(console.page.url()).searchParams.get('user') ?? '');
    expect(user).toEqual({
      name: `Ada ${number}`,
      email: `ada-${number}@example.org`,
      nickname: `Countess ${number}`,
      memberNumber,
      plan: 'team',
      age: 36,
      seat: number,
      score: -1.5,
      isStaff: true,
      birthday: '1815-12-10',
      lastSeenAt: await console.page.evaluate(() => new Date('2026-07-31T12:00').toISOString()),
      tags: ['math'],
      phone: '+44 1',
    });
    await console.page.getByText('2026-07-31').waitFor();
    expect(await field(console, 'Last seen at').inputValue()).toBe('2026-07-31T12:00');
  });

  testOnce(screen)('a number keeps the typed text, key by key', async () => {
    const { id } = await createUser(service.url, `Typist ${number}`);
    await using console = await open(`/?user=${id}`);
    const score = field(console, 'Score');
    const saves = ['1.05', '-0.5', '0.05', '1e-3', '-7'];
    for (const [index, text] of saves.entries()) {
      await score.press('ControlOrMeta+a');
      await score.pressSequentially(text);
      expect(await score.inputValue()).toBe(text);
      await score.press('Enter');
      await console.page.getByText(`Version ${index + 2}.`).waitFor();
      expect(await readUser(service.url, id)).toMatchObject({ score: Number(text) });
    }
    // An incomplete number is sent as text.
    await score.press('ControlOrMeta+a');
    await score.pressSequentially('1.2.');
    await score.press('Enter');
    await console.page.getByText('Score must be a number', { exact: true }).waitFor();
    await score.press('Backspace');
    await score.press('Enter');
    await console.page.getByText(`Version ${saves.length + 2}.`).waitFor();
    expect(await readUser(service.url, id)).toMatchObject({ score: 1.2 });
  });

  testOnce(screen)("Enter that confirms an input method's text adds no item", async () => {
    await using console = await open('/?user=new');
    await field(console, 'Tags').focus();
    const devTools = await console.page.context().newCDPSession(console.page);
    await devTools.send('Input.imeSetComposition', { text: 'すうがく', selectionStart: 4, selectionEnd: 4 });
    await console.page.keyboard.press('Enter');
    expect(await field(console, 'Tags').inputValue()).toBe('すうがく');
    await devTools.send('Input.insertText', { text: '数学' });
    await console.page.keyboard.press('Enter');
    await console.page.getByRole('button', { name: 'Remove 数学' }).waitFor();
  });

  testOnce(screen)(
    'a value can be changed, kept across a reload, cleared and restored; a taken one is reported',
    async () => {
      const nickname = `Amazing ${number}`;
      const { id } = await createUser(service.url, `Grace ${number}`, {
        nickname,
        plan: 'pro',
        tags: ['navy', 'cobol'],
      });
      await createUser(service.url, `Joan ${number}`, { nickname: `Taken ${number}` });
      await using console = await open(`/?user=${id}`);
      await field(console, 'Nickname').fill(`taken ${number}`);
      await field(console, 'Tags').press('Backspace');
      await console.page.reload();
      expect(await field(console, 'Nickname').inputValue()).toBe(`taken ${number}`);
      await console.clickButton('Save');
      await console.page.getByText('Another user has this nickname').waitFor();
      expect(await field(console, 'Nickname').getAttribute('aria-invalid')).toBe('true');
      await field(console, 'Nickname').fill('');
      await field(console, 'Plan').selectOption('free');
      await console.clickButton('Save');
      await console.page.getByText(`Saved Grace ${number}. Version 2.`).waitFor();
      expect(await readUser(service.url, id)).toMatchObject({ plan: 'free', tags: ['navy'] });
      expect(await readUser(service.url, id)).not.toHaveProperty('nickname');
      expect(await field(console, 'Nickname').inputValue()).toBe('');
      await console.clickButton('Undo');
      await console.page.getByText(`Undone: Saved Grace ${number}`).waitFor();
      await expect.poll(() => field(console, 'Nickname').inputValue()).toBe(nickname);
      expect(await readUser(service.url, id)).toMatchObject({ nickname, plan: 'pro', tags: ['navy', 'cobol'] });
    },
  );

  test('a conflict shows the own fields that differ, and saves the choice', async () => {
    const { id } = await createUser(service.url, `Alan ${number}`, { age: 41, birthday: '1912-06-23' });
    await using console = await open(`/?user=${id}`);
    await field(console, 'Age').fill('42');
    await field(console, 'Birthday').fill('1912-06-24');
    await changeUser(service.url, id, { age: 43, birthday: '1912-06-25', isStaff: true });
    await console.page.getByText('was changed elsewhere to version 2').waitFor();
    await console.clickButton('Save');
    const dialog = console.page.getByRole('dialog', { name: 'This user has changed' });
    await dialog.getByRole('radio', { name: 'Jun 25, 1912' }).check();
    expect(await dialog.getByRole('radiogroup').count()).toBe(3);
    const readLabels = (member: string) => dialog.getByRole('radiogroup', { name: member }).innerText();
    expect(await readLabels('Birthday')).toContain('Yours');
    expect(await readLabels('Is staff')).toMatch(/Before[\s\S]*Saved as version 2/);
    expect(await readLabels('Is staff')).not.toContain('Yours');
    await console.inspect('console-own-fields-conflict');
    await console.clickButton('Save as version 3');
    await console.page.getByText(`Saved Alan ${number}. Version 3.`).waitFor();
    expect(await readUser(service.url, id)).toMatchObject({ age: 42, birthday: '1912-06-25', isStaff: true });
  });

  test('columns can be chosen and ordered by keyboard, and are kept', async () => {
    const user = await createUser(service.url, `Barbara ${number}`, {
      tags: ['clu', 'argus'],
      nickname: `Liskov ${number}`,
    });
    await using console = await open();
    await console.page.getByRole('link', { name: user.name, exact: true }).waitFor();
    await console.page.getByRole('button', { name: 'View' }).press('Enter');
    const chooser = console.page.getByRole('dialog', { name: 'View' });
    await chooser.getByRole('checkbox', { name: 'Member number' }).press('Space');
    await chooser.getByRole('checkbox', { name: 'Tags' }).press('Space');
    const up = chooser.getByRole('button', { name: 'Move Tags up' });
    await up.focus();
    for (let position = 9; position > 0; position -= 1) {
      await console.page.keyboard.press('Enter');
      await chooser.getByText(`Tags is now at ${position} of 15`).waitFor({ state: 'attached' });
    }
    await console.page.keyboard.press('Enter');
    expect(await up.evaluate((button) => button === document.activeElement)).toBe(true);
    await console.inspect('console-own-fields-chooser');
    await console.page.keyboard.press('Escape');
    await chooser.waitFor({ state: 'detached' });
    const row = console.page.getByRole('row').filter({ hasText: user.name });
    const expectColumns = () =>
      screen.name === '390'
        ? expect
            .poll(() => row.getByText(/^(Tags|Nickname): /).allTextContents())
            .toEqual(['Tags: clu, argus', `Nickname: Liskov ${number}`])
        : expect
            .poll(() => console.page.getByRole('columnheader').allTextContents())
            .toEqual(['', 'Name', 'Email', 'Tags', 'Nickname', 'Created']);
    await expectColumns();
    await console.page.reload();
    await console.page.getByRole('link', { name: user.name, exact: true }).waitFor();
    await expectColumns();
    await console.inspect('console-own-fields-list');
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await changeUser(service.url, user.id, { nickname: `Barb ${number}` });
    const shown = console.list.getByText(`Barb ${number}`).filter({ visible: true });
    await shown.waitFor();
  });

  test('a shareable link finds a user by a unique field', async () => {
    await createUser(service.url, `Not found ${number}`);
    const user = await createUser(service.url, `Donald ${number}`, { seat: number + 1, nickname: `TeX ${number}` });
    await using console = await open('/?page=2');
    await console.search.pressSequentially(String(number + 1));
    // The search also finds users by their unique fields.
    await expect.poll(() => console.names()).toContain(user.name);
    await console.search.fill('');
    // Escape closes the hint of the search field, which covers the filters.
    await console.page.keyboard.press('Escape');
    await console.openFilter('Nickname');
    await console.page.keyboard.type(`tex ${number}`);
    await console.page.keyboard.press('Enter');
    await expect.poll(() => console.names()).toEqual([user.name]);
    await console.page.getByRole('navigation', { name: 'Pages' }).getByText('1 match').waitFor();
    await console.inspect('console-own-fields-filter');
    const { search } = new URL(console.page.url());
    expect(Object.fromEntries(new URLSearchParams(search))).toEqual({ 'filter.nickname': `tex ${number}` });
    await using shared = await open(search);
    await expect.poll(() => shared.names()).toEqual([user.name]);
    await shared.openFilter(`Nickname: tex ${number}`);
    await shared.page.keyboard.type('x');
    await shared.page.keyboard.press('Enter');
    await shared.page.getByText('A text must be the whole value').waitFor();
    await shared.clickButton('Remove the filter by Nickname');
    await shared.openFilter('Seat');
    await shared.page.keyboard.type(String(number + 1));
    await shared.page.keyboard.press('Enter');
    await expect.poll(() => shared.names()).toEqual([user.name]);
    await shared.openFilter(`Seat: ${number + 1}`);
    await shared.page.keyboard.type('0');
    await shared.page.keyboard.press('Enter');
    await shared.clickButton('Show all users');
    await expect.poll(async () => (await shared.names()).length).toBeGreaterThan(1);
    expect(new URL(shared.page.url()).search).toBe('');
  });
});

/** Writes a file for the option `--fields`. */
function writeFields(fields: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'fields-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'fields.json');
  writeFileSync(file, JSON.stringify(fields));
  return file;
}

describe.each(screens.slice(0, 1))('required fields and lists in the console', (screen) => {
  const fields = {
    kind: { type: 'string', required: true, description: 'What it is.' },
    consents: { type: 'boolean', required: true },
    active: { type: 'boolean', required: true, default: true },
    smokes: { type: 'boolean' },
    level: { type: 'integer', enum: [1, 2, 3] },
    score: { type: 'number' },
    days: { type: 'string', list: true, enum: ['Monday', 'Friday'] },
    numbers: { type: 'integer', list: true },
    meetsAt: { type: 'dateTime' },
  };
  const service = startSharedService(['--fields', writeFields(fields)]);

  /** Opens a page in a time zone 5.5 hours ahead of UTC. */
  async function open(path: string) {
    const console = await ConsolePage.open(browser, screen, `${service.url}${path}`);
    const devTools = await console.page.context().newCDPSession(console.page);
    await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kolkata' });
    return console;
  }
  const field = ({ page }: ConsolePage, name: string) =>
    page.getByLabel('User', { exact: true }).getByLabel(name, { exact: true });

  test('report missing values, and texts or items that are not numbers', async () => {
    await using console = await open('/?user=new');
    await field(console, 'Name *').fill('Ada');
    await field(console, 'Email *').fill('rejected@example.org');
    await field(console, 'Score').pressSequentially('1e');
    await field(console, 'Numbers').fill('1, two');
    await console.clickButton('Create');
    await console.page.getByText('is required').nth(1).waitFor();
    await console.page.getByText('Score must be a number', { exact: true }).waitFor();
    await console.page.getByText('Item 2 must be a number').waitFor();
    expect(await console.page.getByText('is required').count()).toBe(2);
    await console.inspect('console-required-invalid');
  });

  test('are created with defaults, items, and local times', async () => {
    await using console = await open('/?user=new');
    await field(console, 'Name *').fill('Ada');
    await field(console, 'Email *').fill('ada@example.org');
    await field(console, 'Kind *').fill('person');
    await field(console, 'Consents *').selectOption('No');
    await field(console, 'Smokes').selectOption('Yes');
    await field(console, 'Level').selectOption('2');
    await field(console, 'Friday').check();
    for (const item of ['1', 'two']) {
      await field(console, 'Numbers').fill(item);
      await field(console, 'Numbers').press('Enter');
    }
    await field(console, 'Numbers').press('Backspace');
    await field(console, 'Numbers').fill('-3');
    await field(console, 'Numbers').press('Enter');
    await field(console, 'Meets at').fill('2026-07-31T12:00');
    await console.page.getByText('2026-07-31 06:30 in UTC').waitFor();
    await console.clickButton('Create');
    await console.page.getByText('Created Ada').waitFor();
    const id = new URL(console.page.url()).searchParams.get('user') ?? '';
    expect(await readUser(service.url, id)).toEqual({
      ...{ id, name: 'Ada', email: 'ada@example.org' },
      kind: 'person',
      consents: false,
      active: true,
      smokes: true,
      level: 2,
      days: ['Friday'],
      numbers: [1, -3],
      meetsAt: '2026-07-31T06:30:00.000Z',
    });
    await expect.poll(() => field(console, 'Meets at').inputValue()).toBe('2026-07-31T12:00');
  });

  test('can be cleared unless they are required', async () => {
    const kept = { consents: false, active: true, numbers: [1] };
    const { id, name, email } = await createUser(service.url, 'Grace', {
      ...{ ...kept, kind: 'person', smokes: true, level: 2 },
      ...{ days: ['Friday'], meetsAt: '2026-07-31T06:30:00Z' },
    });
    await using console = await open(`/?user=${id}`);
    await field(console, 'Kind *').fill('');
    await console.clickButton('Save');
    await console.page.getByText('must not be empty').waitFor();
    await field(console, 'Kind *').fill('robot');
    await field(console, 'Smokes').selectOption('Not set');
    await field(console, 'Level').selectOption('Not set');
    await field(console, 'Friday').uncheck();
    await field(console, 'Meets at').fill('');
    await console.clickButton('Save');
    await console.page.getByText('Saved Grace. Version 2.').waitFor();
    expect(await readUser(service.url, id)).toEqual({ id, name, email, ...kept, kind: 'robot' });
    expect(await field(console, 'Consents *').locator('option').allTextContents()).toEqual(['Yes', 'No']);
    await console.inspect('console-required');
  });
});

describe.each(screens)('labels, groups, notes and JSON in the console at $name', (screen) => {
  const service = startSharedService([
    '--fields',
    writeFields({
      city: { type: 'string', label: 'Town or city', group: 'Address' },
      notes: { type: 'string', multiline: true, label: 'Notes of the team' },
      street: { type: 'string', group: 'Address' },
      settings: { type: 'json' },
    }),
  ]);

  test('fields have labels and headings of groups, and notes keep their lines', async () => {
    const { id } = await createUser(service.url, 'Ada');
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    const panel = console.page.getByLabel('User', { exact: true });
    const address = panel.getByRole('group', { name: 'Address' });
    await address.getByLabel('Town or city').fill('London');
    await address.getByLabel('Street').fill('St James’s Square');
    await panel.getByLabel('Notes of the team').pressSequentially('One\nTwo');
    await console.clickButton('Save');
    await console.page.getByText('Version 2.').waitFor();
    expect(await readUser(service.url, id)).toMatchObject({ city: 'London', notes: 'One\nTwo' });
    expect(await panel.getByLabel('Notes of the team').inputValue()).toBe('One\nTwo');
    await panel.getByLabel('Notes of the team').fill('a\tb');
    await console.clickButton('Save');
    await console.page
      .getByText('Notes of the team must not contain control characters other than line breaks', { exact: true })
      .waitFor();
    await console.inspect('console-notes');
    await panel.getByLabel('Notes of the team').fill('');
    await console.clickButton('Save');
    await console.page.getByText('Version 3.').waitFor();
    expect(await readUser(service.url, id)).not.toHaveProperty('notes');
  });

  test('JSON is edited as text, which is validated and kept across a reload', async () => {
    const { id } = await createUser(service.url, 'Grace', { settings: { theme: 'dark' } });
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    const settings = console.page.getByLabel('User', { exact: true }).getByLabel('Settings');
    expect(await settings.inputValue()).toBe('{\n  "theme": "dark"\n}');
    await settings.fill('{"theme": "dark", "size":}');
    await console.clickButton('Save');
    await console.page.getByText(/^Settings is not JSON: Unexpected token '}'/).waitFor();
    await console.inspect('console-json-invalid');
    await console.page.reload();
    expect(await settings.inputValue()).toBe('{"theme": "dark", "size":}');
    await settings.fill('{"theme": "dark", "size": 12, "constructor": 1}');
    await console.clickButton('Save');
    await console.page.getByText('Settings: constructor is a key that is not allowed', { exact: true }).waitFor();
    await settings.press('ControlOrMeta+a');
    await settings.pressSequentially('{"size": [1, 2]}');
    expect(await settings.inputValue()).toBe('{"size": [1, 2]}');
    await console.clickButton('Save');
    await console.page.getByText('Version 2.').waitFor();
    expect(await readUser(service.url, id)).toMatchObject({ settings: { size: [1, 2] } });
    await settings.fill('');
    await console.clickButton('Save');
    await console.page.getByText('Version 3.').waitFor();
    expect(await readUser(service.url, id)).not.toHaveProperty('settings');
  });
});
