import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import {
  changeUser,
  createPosts,
  createUser,
  deleteUser,
  eraseUser,
  readUser,
  renameUser,
  restoreUser,
} from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService();

async function openHistory(screen: Screen, id: string, changes: number): Promise<ConsolePage> {
  const console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}&tab=history`);
  await entry(console, changes - 1).waitFor();
  return console;
}

/** The latest change is number 0. */
const entry = ({ page }: ConsolePage, number: number) =>
  page.getByRole('region', { name: 'History' }).getByRole('listitem').nth(number);
const readEntry = async (console: ConsolePage, number: number) =>
  (await entry(console, number).innerText()).replaceAll(/\s+/g, ' ');

/** Delays all requests to GraphQL. The first one fails with 503. */
async function interfere({ page }: ConsolePage): Promise<void> {
  let requests = 0;
  await page.route('**/graphql', async (route) => {
    await sleep(300);
    requests += 1;
    // The page may have been left.
    if (requests !== 1) return route.fallback().catch(() => {});
    const error = { message: 'Busy', extensions: { code: 'SERVICE_UNAVAILABLE' } };
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: { errors: [error] } });
  });
}

async function tabTo(console: ConsolePage, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; (await console.readFocus()) !== name; presses += 1) {
    if (presses > 30) throw new Error(`${key} does not reach ${name}`);
    await console.page.keyboard.press(key);
  }
}

describe.each(screens)('the history of a user at $width pixels', (screen) => {
  test('shows who changed what, and restores an earlier version with an undo', async () => {
    const name = `Ada ${screen.name}`;
    const { id, email } = await createUser(service.url, name);
    await changeUser(service.url, id, { name: `${name} King`, email: `king.${screen.name}@example.org` });
    await using console = await openHistory(screen, id, 2);
    expect(await readEntry(console, 0)).toMatch(
      new RegExp(`^UPDATED just now Version 2 by anonymous Name from ${name} to ${name} King Email`, 'i'),
    );
    expect(await readEntry(console, 1)).toMatch(/^CREATED just now Version 1 by anonymous Name to Ada/i);
    expect(await entry(console, 0).getByRole('button').count()).toBe(0);
    await console.inspect('history');

    await console.clickButton('Restore version 1');
    await console.page.getByText(`Saved ${name}. Version 3.`).waitFor();
    await expect.poll(() => console.readFocus()).toBe('History');
    expect(await readUser(service.url, id)).toEqual({ id, name, email });
    await console.page.getByRole('region', { name: 'History' }).getByText('Version 3', { exact: true }).waitFor();
    expect(await readEntry(console, 0)).toContain(`from ${name} King to ${name} Email`);
    await console.clickButton('Undo');
    await console.page.getByRole('region', { name: 'History' }).getByText('Version 4', { exact: true }).waitFor();
    expect((await readUser(service.url, id)).name).toBe(`${name} King`);
  });

  test("is part of the download of a user's data", async () => {
    const { id, email } = await createUser(service.url, `Grace ${screen.name}`);
    await renameUser(service.url, id, 'Grace Hopper');
    await createPosts(service.url, id, 1);
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}&tab=privacy`);
    const [download] = await Promise.all([
      console.page.waitForEvent('download'),
      console.clickButton('Download the data'),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.json`);
    expect(JSON.parse(await readFile(await download.path(), 'utf8'))).toMatchObject({
      user: { id, name: 'Grace Hopper', email, version: 2 },
      posts: [{ title: 'Post 1', publishedAt: null }],
      changes: [
        { kind: 'CREATED', by: 'anonymous', after: { name: `Grace ${screen.name}` } },
        { kind: 'UPDATED', by: 'anonymous', after: { name: 'Grace Hopper' } },
      ],
      postChanges: [{ kind: 'CREATED', post: { title: 'Post 1' } }],
    });
    await console.page.getByText('Downloaded the user, posts and history').waitFor();
    await console.inspect('console-download');
  });

  test('of a deleted user restores the user by keyboard although some requests fail', async () => {
    const { id } = await createUser(service.url, `Gone ${screen.name}`);
    await deleteUser(service.url, id);
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    await console.page.getByRole('heading', { name: `Gone ${screen.name}`, exact: true }).waitFor();
    await console.page.getByText(`Gone ${screen.name} was deleted`).waitFor();
    await entry(console, 1).waitFor();
    expect(await readEntry(console, 0)).toMatch(/^DELETED just now Version 2 by anonymous Name from Gone/i);
    await console.page.getByText(/^Changes before .* are not kept/).waitFor();
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
    const until = console.page.getByRole('group', { name: 'Restore' }).locator('time');
    expect(await until.getAttribute('datetime')).toContain(tomorrow);
    await console.inspect('deleted-user');
    await interfere(console);
    await tabTo(console, 'Restore this user');
    await console.page.keyboard.press('Enter');
    await console.page.getByText(`Restored Gone ${screen.name}`).waitFor();
    await console.page.getByLabel('Name', { exact: true }).waitFor();
    await expect.poll(() => console.readFocus()).toBe(`Gone ${screen.name}`);
    expect((await readUser(service.url, id)).name).toBe(`Gone ${screen.name}`);
    await console.page.keyboard.press('ControlOrMeta+z');
    await console.page.getByText('Undone: Restored').waitFor();
    await expect(readUser(service.url, id)).rejects.toThrow('404');
  });

  testOnce(screen)("names the current owner of a deleted user's address", async () => {
    const { id, email } = await createUser(service.url, 'Former Owner');
    await deleteUser(service.url, id);
    const owner = await createUser(service.url, 'Present Owner');
    await changeUser(service.url, owner.id, { email });
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    await console.clickButton('Restore this user');
    await expect.poll(() => console.readFocus()).toBe('Restore this user');
    await console.page.getByRole('group', { name: 'Restore' }).getByRole('link', { name: 'Present Owner' }).click();
    await console.page.getByRole('heading', { name: 'Present Owner' }).waitFor();
  });
});

describe.each(screens.slice(0, 1))('an earlier version', (screen) => {
  test('does not overwrite a concurrent change: both versions are shown', async () => {
    const { id } = await createUser(service.url, 'Version One');
    await renameUser(service.url, id, 'Version Two');
    await using console = await openHistory(screen, id, 2);
    // Blocks the change stream, which would show the change before the conflict.
    await console.page.route('**/graphql', (route) =>
      route.request().headers().accept === 'text/event-stream' ? route.abort() : route.fallback(),
    );
    await renameUser(service.url, id, 'Version Three');
    await console.clickButton('Restore version 1');
    const dialog = console.page.getByRole('dialog');
    await dialog.getByText('it is at version 3 now').waitFor();
    expect((await readUser(service.url, id)).name).toBe('Version Three');
    await dialog.getByRole('button', { name: 'Save as version 4' }).click();
    await console.page.getByText('Saved Version One. Version 4.').waitFor();
    expect((await readUser(service.url, id)).name).toBe('Version One');
  });

  test('cannot be restored while there are unsaved changes', async () => {
    const { id } = await createUser(service.url, 'Saved Name');
    await renameUser(service.url, id, 'Later Name');
    await using console = await openHistory(screen, id, 2);
    await console.openTab('Profile');
    await console.page.getByLabel('Name', { exact: true }).fill('Typed Name');
    await console.page.getByRole('tab', { name: 'Profile unsaved' }).waitFor();
    await console.openTab('History');
    const restore = console.page.getByRole('button', { name: 'Restore version 1' });
    expect(await restore.isDisabled()).toBe(true);
    await console.openTab('Profile');
    await console.clickButton('Discard changes');
    await console.openTab('History');
    expect(await restore.isEnabled()).toBe(true);
  });
});

test('loads a long history page by page', async () => {
  const [screen] = screens;
  if (!screen) throw new Error('There is no screen');
  const { id } = await createUser(service.url, 'Often Changed');
  for (let version = 2; version <= 25; version++) await renameUser(service.url, id, `Name ${version}`);
  await using console = await openHistory(screen, id, 20);
  expect(await entry(console, 20).count()).toBe(0);
  await console.clickButton('Show earlier changes');
  await entry(console, 24).waitFor();
  expect(await readEntry(console, 24)).toContain('to Often Changed');
});

test('a save by a colleague keeps loaded pages and the scroll position', async () => {
  const screen = screens[0] ?? expect.unreachable();
  const { id } = await createUser(service.url, 'Scrolled');
  for (let version = 2; version <= 45; version++) await renameUser(service.url, id, `Name ${version}`);
  await using console = await openHistory(screen, id, 20);
  const { page } = console;
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await console.clickButton('Show earlier changes');
  await entry(console, 39).waitFor();
  const read = page.getByRole('region', { name: 'History' }).getByRole('listitem').filter({ hasText: 'Version 10 ' });
  await read.scrollIntoViewIfNeeded();
  const readTop = () => read.evaluate((element) => element.getBoundingClientRect().top);
  const top = await readTop();
  for (const version of [46, 47]) await renameUser(service.url, id, `Name ${version}`);
  await page.getByText('Version 47', { exact: true }).waitFor({ state: 'attached' });
  // Browsers scroll by whole pixels.
  expect(Math.abs((await readTop()) - top)).toBeLessThan(2);
  await entry(console, 41).waitFor({ state: 'attached' });
  await console.inspect('history-scrolled');
});

test('a user whom a colleague deletes and restores is open again; the last hour neither hides nor reports', async () => {
  const screen = screens[0] ?? expect.unreachable();
  const { id } = await createUser(service.url, 'Lazarus');
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
  const { page } = console;
  const name = page.getByLabel('Name', { exact: true });
  const notice = page.getByTestId('notice').filter({ hasText: 'Lazarus was deleted elsewhere' });
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await name.fill('Lazarus Typed');
  await deleteUser(service.url, id);
  await page.getByRole('button', { name: 'Create again' }).waitFor();
  await notice.waitFor();
  await console.inspect('deleted-elsewhere');
  await restoreUser(service.url, id);
  await page.getByRole('button', { name: 'Create again' }).waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('Lazarus Typed');
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Lazarus' }).first().waitFor();

  await page.reload();
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
  await name.press('End');
  await page.keyboard.type(' On');
  await console.showActivity('Changes');
  await console.clickButton('Show the last hour');
  const changes = page.getByRole('list', { name: 'Changes, latest first' }).getByRole('listitem');
  await expect.poll(() => changes.filter({ hasText: 'Lazarus' }).count()).toBe(3);
  await console.inspect('last-hour');
  expect(await name.inputValue()).toBe('Lazarus Typed On');
  expect(await notice.count()).toBe(0);
  await page.getByRole('link', { name: 'Lazarus' }).first().waitFor();
});

test.each(screens)('erases a person and shows a printable confirmation at $name', async (screen) => {
  const { id } = await createUser(service.url, `Forgotten ${screen.name}`);
  await createPosts(service.url, id, 1);
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
  const { page } = console;
  await console.page.getByLabel('Name', { exact: true }).press('End');
  await page.keyboard.type('!');
  await tabTo(console, 'Close', 'Shift+Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('tab', { name: 'Privacy', selected: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('privacy');
  await console.inspect('privacy');
  await interfere(console);
  await tabTo(console, 'Erase this person');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `Erase Forgotten ${screen.name} for good?` }).waitFor();
  expect(await console.readFocus()).toBe('Cancel');
  await console.inspect('erase');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const confirmation = page.getByRole('region', { name: 'Erasure confirmation' });
  await confirmation.getByText('Asked by').waitFor();
  await expect.poll(() => console.readFocus()).toBe('Erased person');
  expect(await confirmation.innerText()).toMatch(/anonymous[\s\S]*Not yet/);
  await console.inspect('erased');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await console.waitForList();
  expect(await page.content()).not.toContain(`Forgotten ${screen.name}`);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Forgotten');
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
  expect(await confirmation.isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  // Simulates a completed erasure: the scheduled index-pages would take some minutes to complete it.
  const completedAt = new Date().toISOString();
  const erasure = { id, requestedAt: completedAt, by: 'anonymous', completedAt, earlierRecords: [], sameAddress: [] };
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query Erasure')
      ? route.fulfill({ json: { data: { erasure } } })
      : route.fallback(),
  );
  await confirmation.locator(`time[datetime="${completedAt}"]`).nth(1).waitFor();
  await page.reload();
  await page.getByText('This person was erased').waitFor();
  // The erasure is only simulated, so the database still contains the name.
  await page.getByRole('heading', { name: 'Erased person' }).waitFor();
  expect(await page.title()).toBe('Erased person – Users');
  await console.openTab('History');
  await page.getByText('so nobody can restore the record').waitFor();
});

test('the confirmation of an erasure leads to another deleted user with the same address, who can be erased, too', async () => {
  const [screen] = screens;
  if (!screen) throw new Error('There is no screen');
  const name = 'Twice Deleted';
  const other = await createUser(service.url, name);
  await deleteUser(service.url, other.id);
  const { id } = await createUser(service.url, name);
  await eraseUser(service.url, id);
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}&tab=privacy`);
  const { page } = console;
  await page.getByRole('heading', { name: 'Other deleted users with the same address' }).waitFor();
  await console.inspect('same-address');
  await page.getByRole('link', { name: other.id }).click();
  await console.clickButton('Erase this person');
  await console.clickButton('Erase for good');
  await page.getByRole('region', { name: 'Erasure confirmation' }).getByText(other.id).waitFor();
  await page.goBack();
  await page.getByText(`${other.id} erased`).waitFor();
});

test('an erasure removes the data from the page although its confirmation cannot be read', async () => {
  const { id } = await createUser(service.url, 'Unconfirmed');
  const screen = screens[0] ?? expect.unreachable();
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
  const { page } = console;
  await page.getByLabel('Name', { exact: true }).press('End');
  await page.keyboard.type('!');
  await console.openTab('Privacy');
  await console.clickButton('Erase this person');
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query Erasure') ? route.abort() : route.fallback(),
  );
  await console.clickButton('Erase for good');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByText('The user was not erased').count()).toBe(0);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Unconfirmed');
});

describe.each(screens.slice(0, 1))('an erasure by another client', (screen) => {
  async function typeAbout(name: string) {
    const { id } = await createUser(service.url, name);
    const console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    await console.page.getByLabel('Name', { exact: true }).fill(`${name} Typed`);
    await expect.poll(() => readSession(console)).toContain(`${name} Typed`);
    return { id, console };
  }

  const readSession = ({ page }: ConsolePage) => page.evaluate(() => JSON.stringify(sessionStorage));

  test('removes the draft', async () => {
    const { id, console } = await typeAbout('Zebedee');
    await using _ = console;
    const { page } = console;
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await eraseUser(service.url, id);
    await page.getByText('This person was erased').waitFor();
    await page.getByText('A user was erased elsewhere').waitFor();
    await expect.poll(() => readSession(console)).not.toContain('Zebedee');
    await expect.poll(() => page.content()).not.toContain('Zebedee');
  });

  test('removes the draft although the page receives no changes', async () => {
    const { id, console } = await typeAbout('Methuselah');
    await using _ = console;
    const { page } = console;
    await page.route('**/graphql', (route) =>
      route.request().headers().accept === 'text/event-stream' ? route.abort() : route.fallback(),
    );
    await page.reload();
    await eraseUser(service.url, id);
    await page.reload();
    await page.getByText('This person was erased').waitFor();
    expect(await page.getByRole('button', { name: 'Create again' }).count()).toBe(0);
    await expect.poll(() => readSession(console)).not.toContain('Methuselah');
  });

  test('leaves the history readable when the person returns to it', async () => {
    const { id } = await createUser(service.url, 'Enoch');
    await eraseUser(service.url, id);
    const path = (tab: string) => `/?user=${id}&tab=${tab}`;
    await using console = await ConsolePage.open(browser, screen, service.url + path('privacy'));
    const { page } = console;
    await page.getByText('This person was erased').waitFor();
    await console.clickButton('Close');
    await page.evaluate((address) => {
      history.pushState(null, '', address);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path('history'));
    await page.getByText(/^Changes before .* are not kept/).waitFor();
  });
});

describe('a user with a subject', () => {
  const service = startSharedService(['--fields', 'test/setup/person-fields.json']);

  test('keeps a subject that was set later when an earlier version is restored', async () => {
    const { id } = await createUser(service.url, 'Ada Lovelace');
    const screen = screens[0] ?? expect.unreachable();
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
    const { page } = console;
    await page.getByLabel('Sub', { exact: true }).fill('issuer|ada');
    await console.clickButton('Save');
    await page.getByText('Saved Ada Lovelace. Version 2.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await page.getByLabel('Name *').fill('Ada King');
    await console.clickButton('Save');
    await page.getByText('Saved Ada King. Version 3.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await console.openTab('History');
    await console.clickButton('Restore version 1');
    await page.getByText('Saved Ada Lovelace. Version 4.').waitFor();
    expect(await readUser(service.url, id)).toMatchObject({ name: 'Ada Lovelace', sub: 'issuer|ada' });
    // Versions 1 and 2 differ from the current version only by the subject.
    await page.getByRole('button', { name: 'Restore version 3' }).waitFor();
    expect(await page.getByRole('button', { name: /^Restore version/ }).count()).toBe(1);
  });

  test('has a history that leads to earlier records of the person', async () => {
    const earlier = await createUser(service.url, 'Ada Early', { sub: 'issuer|early' });
    await deleteUser(service.url, earlier.id);
    const { id } = await createUser(service.url, 'Ada Late', { sub: 'issuer|early' });
    const screen = screens[0] ?? expect.unreachable();
    await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}&tab=history`);
    const { page } = console;
    await page.getByRole('link', { name: earlier.id }).click();
    await page.getByRole('heading', { name: 'Ada Early' }).first().waitFor();
    await page.getByRole('button', { name: 'Restore this user' }).waitFor();
    await eraseUser(service.url, id);
    await console.clickButton('Restore this user');
    await page.getByText('so nobody can restore the record').waitFor();
  });
});
