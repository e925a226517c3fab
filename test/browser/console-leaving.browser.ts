import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { openPage, screens, signOut } from './pages.ts';
import { startSharedService } from './service-per-test.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService(['--auth', '--fields', 'test/setup/own-fields.json'], {
  environment: { GROUPS: 'on' },
});

async function open() {
  const opened = await openPage(browser, screens[0] ?? expect.unreachable(), `${service.url}/?user=new`);
  await opened.page.getByRole('button', { name: 'Sign in as developer' }).click();
  return opened;
}

const field = (page: Page, name: string) => page.getByLabel('User', { exact: true }).getByLabel(name);

async function create(page: Page, name: string): Promise<void> {
  await field(page, 'Name *').pressSequentially(name);
  await field(page, 'Email *').pressSequentially(`${name.toLowerCase()}@example.org`);
  await page.keyboard.press('Enter');
}

/** Reloads between the request and its response. */
async function leaveBeforeAnswer(page: Page, url: string, text: string, act: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (!route.request().postData()?.includes(text)) return route.continue();
    await route.fetch();
    return resolve();
  });
  await act();
  await promise;
  await page.reload();
  // `unroute` sends a held request again, unless the page was reloaded before.
  await page.unroute(url);
}

test('a creation sent while the page is left is not repeated', async () => {
  await using opened = await open();
  const { page } = opened;
  await leaveBeforeAnswer(page, '**/v1/users?*', 'Leaver', () => create(page, 'Leaver'));
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Created Leaver').waitFor();
  await page.getByRole('tab', { name: 'Posts' }).click();
  const title = page.getByLabel('Title of the new post');
  await title.pressSequentially('Notes');
  await leaveBeforeAnswer(page, '**/graphql', 'Notes', () => page.keyboard.press('Enter'));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Created “Notes”').waitFor();
  await page.reload();
  await expect.poll(() => page.getByRole('region', { name: 'Posts' }).getByRole('listitem').count()).toBe(1);
});

test('an unfinished list item is kept when the page is left', async () => {
  await using opened = await open();
  const { page } = opened;
  await create(page, 'Tagger');
  await page.getByText('Created Tagger').waitFor();
  await field(page, 'Tags').pressSequentially('math, log');
  await page.reload();
  await page.getByRole('button', { name: 'Remove log' }).waitFor();
  await field(page, 'Tags').pressSequentially('ic');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Tagger' }).click();
  await page.getByRole('button', { name: 'Remove ic' }).click();
  await field(page, 'Tags').pressSequentially('art,x');
  await page.keyboard.press('Backspace');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved Tagger. Version 2.').waitFor();
  expect(
    await page.getByRole('button', { name: /^Remove / }).evaluateAll((all) => all.map((each) => each.ariaLabel)),
  ).toEqual(['Remove math', 'Remove log', 'Remove art']);
});

test('a sign-out asks before it discards a draft, and completes a pending save', async () => {
  await using opened = await open();
  const { page } = opened;
  await create(page, 'Saver');
  await page.getByText('Created Saver').waitFor();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/v1/users/*', async (route) => {
    if (route.request().method() === 'PATCH') await answered;
    await route.continue();
  });
  await field(page, 'Name *').press('End');
  await field(page, 'Name *').pressSequentially('s');
  const dialog = page.waitForEvent('dialog');
  await Promise.all([page.waitForRequest('**/v1/users/*'), page.keyboard.press('Enter')]);
  await field(page, 'Nickname').pressSequentially('Typed');
  await signOut(page);
  answer();
  await (await dialog).dismiss();
  await page.getByText('Saved Savers. Version 2.').waitFor();
  expect(await field(page, 'Nickname').inputValue()).toBe('Typed');
  page.once('dialog', (question) => question.accept());
  await signOut(page);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('drafts'))).toBeNull();
});

test("a sign-out asks before it discards a post's title", async () => {
  await using opened = await open();
  const { page } = opened;
  await create(page, 'Author');
  await page.getByText('Created Author').waitFor();
  await page.getByRole('tab', { name: 'Posts' }).click();
  await page.getByLabel('Title of the new post').pressSequentially('Notes');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Edit Notes' }).click();
  await page.getByLabel('Title', { exact: true }).pressSequentially('More');
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.accept());
  await signOut(page);
  await asked;
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a group's text is kept when its form is closed and the page is left, and a sign-out asks", async () => {
  await using opened = await open();
  const { page } = opened;
  await page.getByRole('button', { name: 'Close' }).click();
  await page.goto(`${service.url}/?groups=new`);
  const form = page.getByRole('dialog', { name: 'New group' });
  await form.getByLabel('Name').pressSequentially('Acme');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'New group' }).click();
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Acme');
  await page.reload();
  await expect.poll(() => form.getByLabel('Name').inputValue()).toBe('Acme');
  await leaveBeforeAnswer(page, '**/graphql', 'Acme', () => form.getByLabel('Name').press('Enter'));
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created Acme').waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('groups'))).toBe('[]');
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog', { name: 'Edit Acme' }).getByLabel('Name').fill('Acme Ltd');
  await page.reload();
  await expect
    .poll(() => page.getByRole('dialog', { name: 'Edit Acme' }).getByLabel('Name').inputValue())
    .toBe('Acme Ltd');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const asked = page.waitForEvent('dialog').then((question) => question.accept());
  await signOut(page);
  await asked;
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem('groups'))).toBeNull();
});

test('a typed value for many users is kept through clicks beside the dialog, a sign-out in another tab, and a reload', async () => {
  await using opened = await open();
  const { page } = opened;
  await create(page, 'Bulk');
  await page.getByText('Created Bulk').waitFor();
  await page.getByRole('checkbox', { name: 'Select Bulk' }).click();
  await page.getByRole('button', { name: 'Edit field…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit a field of 1 user' });
  const choice = dialog.getByLabel('Field', { exact: true });
  await choice.selectOption('score');
  await dialog.getByLabel('Score').fill('99');
  await choice.selectOption('age');
  await choice.selectOption('score');
  await page.mouse.click(5, 5);
  const other = await page.context().newPage();
  await other.goto(service.url);
  await signOut(other);
  await page.getByRole('dialog', { name: 'Sign in' }).getByRole('button', { name: 'Sign in as developer' }).click();
  expect(await dialog.getByLabel('Score').inputValue()).toBe('99');
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => setTimeout(() => location.reload()));
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).dismiss();
  await dialog.getByRole('button', { name: 'Change 1 user' }).click();
  await page.getByText('Changed Score of 1 user').waitFor();
});

test('an expired sign-in keeps the text of an open popover', async () => {
  await using opened = await open();
  const { page } = opened;
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByLabel('Name of this view').fill('Mine');
  const second = await page.context().newPage();
  await second.goto(`${service.url}/openapi.json`);
  await second.evaluate(() => localStorage.removeItem('access-token'));
  await page.getByRole('dialog', { name: 'Sign in' }).getByRole('button', { name: 'Sign in as developer' }).click();
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name of this view').inputValue()).toBe('Mine');
});

test('a search is kept when the page is left right after typing', async () => {
  await using opened = await open();
  const { page } = opened;
  const search = page.getByRole('searchbox');
  await page.getByRole('button', { name: 'Close' }).click();
  // The closing panel moves the focus.
  await page.getByRole('button', { name: 'New user' }).and(page.locator(':focus')).waitFor();
  await search.pressSequentially('ada');
  await page.reload();
  await expect.poll(() => search.inputValue()).toBe('ada');
  await search.press('End');
  await search.pressSequentially(' lo');
  await page.goto(`${service.url}/docs`);
  await page.goBack();
  await expect.poll(() => search.inputValue()).toBe('ada lo');
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('ada lo');
  // All typed text is one entry of the browser's history.
  await search.press('End');
  await search.pressSequentially('v');
  await page.getByRole('button', { name: 'New user' }).click();
  await page.goBack();
  await expect.poll(() => search.inputValue()).toBe('ada lov');
  await page.goBack();
  await expect.poll(() => search.inputValue()).toBe('');
});
