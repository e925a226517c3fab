import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDIENCE, type Issuer, startIssuer } from '../lib/auth/issuer.ts';
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { inspect, openPage, screens, testOnce } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, deleteUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Searches only the dialog, because the page has buttons with the same names. */
const clickInDialog = ({ page }: ConsolePage, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

type File = { name: string; mimeType: string; buffer: Buffer };

const createFile = (name: string, content: string | Buffer): File => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(content),
});

const createRows = (count: number) =>
  ['name,email', ...Array.from({ length: count }, (_, at) => `Person ${at},person.${at}@example.org`)].join('\n');

const CSV = `Full name,E-Mail,Nickname,seat,Notes,plan
Ada Lovelace,ada@example.org,countess,1,first,pro
Grace Hopper,grace@example,amazing,2,,team
Alan Turing,alan@example.org,Countess,3,,
"Edsger, W.",edsger@example.org,ewd,four,,free
Barbara Liskov,barbara@example.org,taken,5,,
Donald Knuth,knuth@example.org,,,,
`;

const RESULTS = [
  { line: 2, result: 'created' },
  { line: 3, result: 'invalid', issues: [{ column: 'E-Mail', message: 'must be an email address' }] },
  { line: 4, result: 'invalid', issues: [{ column: 'nickname', message: 'is the nickname of line 2, too' }] },
  { line: 5, result: 'invalid', issues: [{ column: 'seat', message: 'must be a number' }] },
  { line: 6, result: 'invalid', issues: [{ column: 'nickname', message: 'Another user has this nickname' }] },
  { line: 7, result: 'exists' },
];

const LOCAL_CSV = `Vorname,Nachname,E-Mail,Birthday,Is staff
Ada,Lovelace,ada@example.org,03/04/1980,ja
Grace,Hopper,grace@example.org,04/05/1981,nein
Alan,Turing,alan@example.org,05/06/1982,vielleicht
`;

describe.each(screens)('the import of a local file at $name', (screen) => {
  const service = startServicePerTest(['--fields', 'test/setup/listed-fields.json']);

  test('combines names, asks once for the date order, and accepts yes, no and a value for a missing column', async () => {
    await using console = await ConsolePage.open(browser, screen, service.url);
    const { page } = console;
    await page.getByRole('button', { name: 'Import users' }).click();
    await page.getByLabel('File to import').setInputFiles(createFile('Kunden.csv', LOCAL_CSV));
    const dialog = page.getByRole('dialog');
    const readField = (column: string) => dialog.getByLabel(`Field of the column ${column}`).inputValue();
    expect([await readField('Vorname'), await readField('Nachname')]).toEqual(['name.first', 'name.last']);
    await dialog.getByText('Stored: Ada Lovelace').waitFor();
    await dialog.getByText('Stored: true').waitFor();
    // The dialog asks, because the date is ambiguous.
    const question = dialog.getByRole('radiogroup', { name: 'What does 03/04/1980 mean in this file?' });
    await question.waitFor();
    const start = dialog.getByRole('button', { name: /^Import/ });
    expect(await start.isDisabled()).toBe(true);
    await question.getByRole('radio').first().focus();
    await page.keyboard.press('Space');
    await dialog.getByText('Stored: 1980-04-03').waitFor();
    await question.getByRole('radio', { name: 'March 4, 1980' }).focus();
    await page.keyboard.press('Space');
    await dialog.getByText('Stored: 1980-03-04').waitFor();
    await dialog.getByLabel('Plan of all users').selectOption('team');
    await expect.poll(() => dialog.getByTestId('check').textContent()).toBe('2 rows can be imported, 1 cannot.');
    await console.inspect('import-local');
    await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
    await page.getByRole('heading', { name: 'Imported Kunden.csv' }).waitFor();
    const users = (await (await fetch(`${service.url}/v1/users?limit=1000`)).json()) as { name: string }[];
    expect(users.toSorted((one, other) => one.name.localeCompare(other.name))).toMatchObject([
      { name: 'Ada Lovelace', birthday: '1980-03-04', isStaff: true, plan: 'team' },
      { name: 'Grace Hopper', birthday: '1981-04-05', isStaff: false, plan: 'team' },
    ]);
  });
});

describe.each(screens)('the import of the console at $name', (screen) => {
  const service = startServicePerTest(['--fields', 'test/setup/own-fields.json']);

  const open = () => ConsolePage.open(browser, screen, service.url);
  const listUsers = async () =>
    (await (await fetch(`${service.url}/v1/users?limit=1000`)).json()) as { name: string }[];

  async function choose({ page }: ConsolePage, file: File | string) {
    await page.getByRole('button', { name: 'Import users' }).click();
    await page.getByLabel('File to import').setInputFiles(file);
  }

  async function readResults({ page }: ConsolePage): Promise<unknown[]> {
    const button = page.getByRole('button', { name: 'Download the results' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toMatch(/\.results\.ndjson$/);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  }

  /** Imports a file of six rows, two of existing users, up to the review. */
  async function review(console: ConsolePage) {
    await choose(console, createFile('users.csv', CSV));
    await console.page.getByText('3 rows can be imported, 3 cannot.').waitFor();
  }

  async function importFile(console: ConsolePage) {
    await createUser(service.url, 'Nick', { nickname: 'Taken' });
    const knuth = await createUser(service.url, 'Knuth');
    await review(console);
    await console.clickButton('Import 3 rows');
    await console.page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    return knuth;
  }

  test('guesses the columns, and requires one for the address', async () => {
    await using console = await open();
    const { page } = console;
    await page.getByRole('button', { name: 'Import users' }).click();
    await page.getByText('Drop a file here').waitFor();
    await console.inspect('console-import');
    await page.getByLabel('File to import').setInputFiles(createFile('users.csv', CSV));
    const field = (column: string) => page.getByLabel(`Field of the column ${column}`);
    expect(await field('Full name').inputValue()).toBe('name');
    expect(await field('E-Mail').inputValue()).toBe('email');
    expect(await field('Notes').inputValue()).toBe('');
    await field('E-Mail').selectOption('Leave out');
    await page.getByText('Choose the column of Email.').waitFor();
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await field('E-Mail').selectOption('Email');
    await page.getByText('3 rows can be imported, 3 cannot.').waitFor();
  });

  testOnce(screen)('asks before it leaves out times, which the APIs do not store', async () => {
    await using console = await open();
    const csv = 'name,email,createdAt\nAda,ada@example.org,2019-05-01T12:00:00Z\n';
    await choose(console, createFile('times.csv', csv));
    const start = console.page.getByRole('button', { name: 'Import 1 row' });
    await start.waitFor();
    expect(await start.isDisabled()).toBe(true);
    await console.page.getByLabel('Leave out createdAt').check();
    await start.click();
    await expect.poll(async () => (await listUsers()).map(({ name }) => name)).toContain('Ada');
  });

  test('shows the issues of each row before the import', async () => {
    await using console = await open();
    await review(console);
    const row = (name: string) => console.page.getByRole('row').filter({ hasText: name });
    await row('Grace Hopper').getByText('must be an email address').waitFor();
    await row('Alan Turing').getByText('is the nickname of line 2, too').waitFor();
    await console.inspect('console-import-review');
    expect(await listUsers()).toEqual([]);
  });

  test('the results file equals that of the command line', async () => {
    await using console = await open();
    const knuth = await importFile(console);
    await console.page.getByText('Another user has this nickname').waitFor();
    await console.inspect('console-imported');
    expect(await readResults(console)).toMatchObject([
      ...RESULTS.slice(0, 5),
      { line: 7, result: 'exists', id: knuth.id },
    ]);
  });

  testOnce(screen)('offers a file of the rejected rows, with reasons', async () => {
    await using console = await open();
    await importFile(console);
    const button = console.page.getByRole('button', { name: 'Download the rejected rows' });
    const [rejected] = await Promise.all([console.page.waitForEvent('download'), button.click()]);
    expect(rejected.suggestedFilename()).toBe('users.csv.rejected.csv');
    expect((await readFile(await rejected.path(), 'utf8')).split('\n')).toContain(
      '3,E-Mail: must be an email address,Grace Hopper,grace@example,amazing,2,,team',
    );
  });

  testOnce(screen)('says in the dialog that the rejected rows cannot be read any more', async () => {
    await using console = await open();
    const file = join(folder, 'deleted.csv');
    writeFileSync(file, 'name,email\nAda,ada@example.org\nGrace,grace@example\n');
    await choose(console, file);
    await console.clickButton('Import 1 row');
    rmSync(file);
    await console.clickButton('Download the rejected rows');
    await console.page.getByRole('dialog').getByText('The rejected rows cannot be read: ').waitFor();
  });

  testOnce(screen)('after the import, the list shows the new users and the focus returns', async () => {
    await using console = await open();
    await importFile(console);
    await console.page.getByRole('dialog').getByText('Close', { exact: true }).click();
    await expect.poll(() => console.names()).toContain('Ada Lovelace');
    expect((await listUsers()).map(({ name }) => name)).toEqual(['Nick', 'Knuth', 'Ada Lovelace']);
    await expect.poll(() => console.readFocus()).toBe('Import users');
  });

  testOnce(screen)('opens from an empty list and from the palette, and keeps the focus on the page', async () => {
    await using console = await open();
    const { page } = console;
    const dialog = page.getByRole('dialog', { name: 'Import users' });
    await console.clickButton('Import a file');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+k');
    const field = page.getByRole('combobox', { name: 'Find a user or a command' });
    await field.fill('import');
    await field.press('Enter');
    await dialog.waitFor();
    await expect.poll(() => console.readFocus()).toBe('Choose a file');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);
  });

  testOnce(screen)('accepts a dropped file with another encoding, and updates existing users', async () => {
    const ada = await createUser(service.url, 'Ada');
    await using console = await open();
    const { page } = console;
    const rows = 'Name;Mail\nAda Lovel\xe1ce;ada@example.org\nZo\xeb;zoe@example.org\n';
    const transfer = await page.evaluateHandle(
      (bytes) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(bytes)], 'latin.csv'));
        return transfer;
      },
      [...Buffer.from(rows, 'latin1')],
    );
    await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
    await page.getByText('Drop a CSV, NDJSON or JSON file').waitFor();
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.getByText('0 rows can be imported, 2 cannot.').waitFor();
    await page.getByText('Line 2 is not utf-8 at byte offset 19: choose the encoding').waitFor();
    await page.getByLabel('Encoding').selectOption('windows-1252');
    await page.getByText('2 rows can be imported.').waitFor();
    await page.getByLabel('Update users who exist').check();
    await console.clickButton('Import 1 new user and 1 change');
    await page.getByRole('heading', { name: 'Imported latin.csv' }).waitFor();
    expect(await readResults(console)).toMatchObject([
      { line: 2, result: 'updated', id: ada.id },
      { line: 3, result: 'created' },
    ]);
    expect(await listUsers()).toMatchObject([{ name: 'Ada Loveláce' }, { name: 'Zoë' }]);
  });

  testOnce(screen)('compares an edited export with the users by their ids before it writes', async () => {
    const [ada, bob, eve] = [
      await createUser(service.url, 'Ada'),
      await createUser(service.url, 'Bob'),
      await createUser(service.url, 'Eve'),
    ];
    await using console = await open();
    const { page } = console;
    const lines = [
      ada,
      { ...bob, name: 'Bobby' },
      { ...eve, email: 'moved@example.org' },
      { id: '', name: 'New', email: 'n@example.org' },
    ];
    const rows = lines.map(({ id, name, email }) => `${id},${name},${email}`);
    await choose(console, createFile('users.csv', ['id,name,email', ...rows].join('\n')));
    await page
      .getByText(
        '4 rows can be imported. Matched by id, or else by address: 1 unchanged, 1 changed, 1 with a new address, 1 new.',
      )
      .waitFor();
    expect((await listUsers()).map(({ name }) => name)).toEqual(['Ada', 'Bob', 'Eve']);
    const changes = page.getByRole('region', { name: 'Changed rows' }).locator('tbody tr');
    expect(await changes.allTextContents()).toEqual([
      '3BobNamefrom Bobto Bobby',
      `4EveEmailfrom ${eve.email}to moved@example.org`,
    ]);
    await console.inspect('import-compared');
    await console.clickButton('Import 1 new user and 2 changes');
    await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    expect(await readResults(console)).toMatchObject([
      { line: 2, result: 'unchanged', id: ada.id },
      { line: 3, result: 'updated', id: bob.id },
      { line: 4, result: 'updated', id: eve.id },
      { line: 5, result: 'created' },
    ]);
    expect(await listUsers()).toMatchObject([{}, { name: 'Bobby' }, { name: 'Eve', email: 'moved@example.org' }, {}]);
  });

  testOnce(screen)('maps columns with equal names by position, and accepts another delimiter', async () => {
    await using console = await open();
    const { page } = console;
    const rows = '"Name\n(voll)";Telefon;Telefon;E-Mail\nAda;\'+49 170;+49 30;ada@example.org\n';
    await choose(console, createFile('columns.csv', rows));
    await page.getByText('Choose the column of Name.').waitFor();
    await page.getByLabel('Delimiter').selectOption('Comma');
    await page.getByText('The first line must name the columns.').waitFor();
    await page.getByLabel('Delimiter').selectOption('Semicolon');
    const field = (column: string) => page.getByLabel(`Field of the column ${column}`);
    await field('Name (voll)').selectOption('Name');
    await field('Telefon (column 2)').selectOption('Phone');
    await field('Telefon (column 3)').selectOption('Nickname');
    await console.clickButton('Import 1 row');
    await page.getByRole('heading', { name: 'Imported columns.csv' }).waitFor();
    expect(await listUsers()).toMatchObject([{ name: 'Ada', phone: '+49 170', nickname: '+49 30' }]);
  });

  test('an import can be paused, stopped and continued, and runs while its dialog is closed', async () => {
    await using console = await open();
    const { page } = console;
    await choose(console, createFile('users.csv.gz', gzipSync(createRows(400))));
    await page.getByText('400 rows can be imported.').waitFor();
    const shown = page.getByRole('region', { name: 'First rows of the file' }).getByRole('row');
    // The first row has the names of the columns.
    expect(await shown.count()).toBe(21);
    const answer = await console.holdAnswers('**/graphql', () => console.clickButton('Import 400 rows'));
    await clickInDialog(console, 'Pause');
    await page.getByRole('heading', { name: 'Paused users.csv.gz' }).waitFor();
    answer();
    // Two requests of 50 users were in flight at the pause.
    await expect.poll(() => page.getByTestId('created').textContent()).toBe('100');
    await console.inspect('console-import-paused');
    // The rest does not depend on the screen.
    if (screen !== screens[0]) return;
    await console.clickButton('Hide');
    expect(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(false);
    await page.getByRole('region', { name: 'Import' }).getByText('Importing, paused: 100 of 400 rows').waitFor();
    await console.clickButton('Show');
    await clickInDialog(console, 'Cancel');
    await page.getByRole('heading', { name: 'Stopped users.csv.gz' }).waitFor();
    expect(await page.evaluate(() => dispatchEvent(new Event('beforeunload', { cancelable: true })))).toBe(true);
    expect(await readResults(console)).toHaveLength(100);
    await console.clickButton('Continue');
    await page.getByRole('heading', { name: 'Imported users.csv.gz' }).waitFor();
    const results = await readResults(console);
    expect(results).toMatchObject(Array.from({ length: 400 }, (_, at) => ({ line: at + 2, result: 'created' })));
    expect(await listUsers()).toHaveLength(400);
  });

  testOnce(screen)('imported users do not count as created elsewhere', async () => {
    await using console = await open();
    const { page } = console;
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await page.evaluate(() => {
      const shown: string[] = [];
      Object.assign(window, { shown });
      new MutationObserver(() => {
        const text = [...document.querySelectorAll('main button')]
          .map(({ textContent }) => textContent)
          .find((text) => text.endsWith('new: show'));
        if (text && text !== shown.at(-1)) shown.push(text);
      }).observe(document.body, { childList: true, characterData: true, subtree: true });
    });
    await choose(console, createFile('own.csv', createRows(300)));
    await console.clickButton('Import 300 rows');
    await page.getByRole('heading', { name: 'Imported own.csv' }).waitFor();
    await page.getByRole('dialog').getByText('Close', { exact: true }).click();
    await page.getByText('300 in total').waitFor({ state: 'attached' });
    // The feed delivers this user after the imported ones, which the page must not count as new.
    const other = await createUser(service.url, 'From Elsewhere');
    await page.getByRole('button', { name: '1 new: show' }).click();
    await expect.poll(() => console.names()).toContain(other.name);
    expect(await page.evaluate(() => Reflect.get(window, 'shown'))).toEqual(['1 new: show']);
  });

  test('an import waits for a busy service, and a reopened page creates no user twice', async () => {
    await using console = await open();
    const { page } = console;
    const file = join(folder, 'users.csv');
    writeFileSync(file, createRows(120));
    // The service creates the users, but the page receives 503.
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('CreateUsers')) return route.fallback();
      await route.fetch();
      return route.fulfill({
        status: 503,
        headers: { 'retry-after': '3600' },
        json: { message: 'Service Unavailable' },
      });
    });
    await choose(console, file);
    await console.clickButton('Import 120 rows');
    await page.getByText('Waiting for the service').waitFor();
    await console.inspect('console-import-waiting');
    // The rest does not depend on the screen.
    if (screen !== screens[0]) return;
    const first = await listUsers();
    expect(first).toHaveLength(100);
    await page.unroute('**/graphql');
    await page.reload();
    await choose(console, file);
    await page.getByText('create no duplicates').waitFor();
    await console.clickButton('Import 120 rows');
    await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    const results = (await readResults(console)) as { id: string }[];
    expect(results).toMatchObject(Array.from({ length: 120 }, (_, at) => ({ line: at + 2, result: 'created' })));
    const all = await listUsers();
    expect(all).toHaveLength(120);
    expect(all.slice(0, 100)).toEqual(first);

    // A completed import forgets its idempotency keys, and thus recreates deleted users.
    await deleteUser(service.url, results[0]?.id ?? '');
    await console.clickButton('Import another file');
    await page.getByLabel('File to import').setInputFiles(file);
    await console.clickButton('Import 120 rows');
    await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    expect(await page.getByTestId('created').textContent()).toBe('1');
    expect(await page.getByTestId('exists').textContent()).toBe('119');
  });
});

test('the page stays responsive while it checks 100,000 rows', async () => {
  const service = await startLocalService();
  const [screen] = screens;
  if (!screen) throw new Error('There is no screen');
  await using console = await ConsolePage.open(browser, screen, service.url);
  const { page } = console;
  await page.getByRole('button', { name: 'Import users' }).click();
  // Collects the texts that the page renders between two parts of the file.
  const shown = page.evaluate(async () => {
    const texts = new Set<string | null>();
    for (;;) {
      const text = document.querySelector('[data-testid="check"]')?.textContent ?? null;
      if (text && !text.startsWith('Checking')) return texts.size;
      if (text) texts.add(text);
      await new Promise(requestAnimationFrame);
    }
  });
  await page.getByLabel('File to import').setInputFiles(createFile('many.csv', createRows(100_000)));
  await page.getByText('100,000 rows can be imported.').waitFor();
  expect(await shown).toBeGreaterThan(1);
  await service.stop();
});

test('an import that becomes forbidden stops and shows the reason', async () => {
  const issuer: Issuer = await startIssuer();
  const service = await startLocalService(['--memory', '--issuer', issuer.url, '--audience', AUDIENCE]);
  const [screen] = screens;
  if (!screen) throw new Error('There is no screen');
  await using opened = await openPage(browser, screen, service.url);
  const { page } = opened;
  await page.getByLabel('Bearer token').fill(await issuer.sign());
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByRole('button', { name: 'Import users' }).click();
  await page.getByLabel('File to import').setInputFiles(createFile('users.csv', createRows(3)));
  // Simulated, because the console hides the import from tokens without the scope.
  const errors = [{ message: 'A mutation requires the scope users:write', extensions: { code: 'FORBIDDEN' } }];
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('mutation')
      ? route.fulfill({ status: 403, json: { errors } })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Import 3 rows' }).click();
  await page.getByRole('heading', { name: 'The import has stopped' }).waitFor();
  await page.getByText('users:write').waitFor();
  await inspect(opened, screen, 'console-import-forbidden');
  await Promise.all([service.stop(), issuer.stop()]);
});
