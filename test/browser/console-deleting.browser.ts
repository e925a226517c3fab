import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createUser, createUsers, deleteUser, readUser, renameUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest([], { fill: (url) => createUsers(url, 5) });

const open = (screen: Screen, path = '/') => ConsolePage.open(browser, screen, `${service.url}${path}`);
const row = ({ page }: ConsolePage, name: string) => page.getByRole('link', { name, exact: true });
const exists = (id: string) =>
  readUser(service.url, id).then(
    () => true,
    () => false,
  );
/** Collects the `If-Match` of deletions. */
function recordDeletions({ page }: ConsolePage): (string | undefined)[] {
  const versions: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'DELETE') versions.push(request.headers()['if-match']);
  });
  return versions;
}

describe.each(screens)('deleting in the console at $name', (screen) => {
  test('hides a user at once, focuses the next, and sends nothing after an undo within 10 seconds', async () => {
    const [next, user] = [
      await createUser(service.url, `Next ${screen.name}`),
      await createUser(service.url, `Undone ${screen.name}`),
    ];
    await using console = await open(screen, `/?user=${user.id}`);
    const sent = recordDeletions(console);
    await console.clickButton('Delete user');
    await row(console, user.name).waitFor({ state: 'detached' });
    await expect.poll(() => console.readFocus()).toBe(next.name);
    await console.page.getByRole('status').getByText(`Deleted ${user.name}`).waitFor();
    await console.inspect('console-deleted');
    await console.page.goBack();
    await console.page.getByText('You have just deleted this user').waitFor();
    await console.inspect('console-deleted-user');
    await console.page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await console.page.getByText(`Undone: Deleted ${user.name}`).waitFor();
    await expect.poll(() => console.page.getByLabel('Name', { exact: true }).inputValue()).toBe(user.name);
    expect(await row(console, user.name).count()).toBe(1);
    expect(sent).toEqual([]);
    expect(await exists(user.id)).toBe(true);
  });

  test('keeps the draft of a user deleted elsewhere, and creates the user again from it', async () => {
    const user = await createUser(service.url, `Lost ${screen.name}`);
    await using console = await open(screen);
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await row(console, user.name).click();
    await console.page.getByLabel('Name', { exact: true }).fill('Typed in vain');
    await deleteUser(service.url, user.id);
    await console.page.getByText(`${user.name} was deleted elsewhere. Your unsaved changes are kept.`).waitFor();
    await console.page.getByLabel('User', { exact: true }).getByText('Typed in vain').waitFor();
    await console.clickButton('Dismiss');
    await console.inspect('console-kept-draft');
    await console.clickButton('Close');
    await console.showActivity('Changes');
    const change = console.page
      .getByRole('list', { name: 'Changes, latest first' })
      .getByRole('listitem')
      .filter({ hasText: 'Deleted' })
      .filter({ hasText: user.name });
    await change.getByRole('button', { name: user.name }).click();
    await console.clickButton('Create again');
    expect(await console.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Typed in vain');
    await console.clickButton('Create');
    await console.page.getByText('Created Typed in vain').waitFor();
  });
});

describe.each(screens.slice(0, 1))('a deletion in the console', (screen) => {
  test('elsewhere appears among the changes by name, although the page has never shown the user', async () => {
    const user = await createUser(service.url, 'Never Listed');
    await using console = await open(screen, '/?q=nobody');
    await console.page.getByText('No user matches').waitFor();
    await console.page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await deleteUser(service.url, user.id);
    await console.showActivity('Changes');
    await console.page
      .getByRole('list', { name: 'Changes, latest first' })
      .getByRole('listitem')
      .getByRole('button', { name: user.name })
      .click();
    await console.page.getByText(`${user.name} was deleted`).waitFor();
    await console.inspect('console-deleted-elsewhere');
  });

  test('is sent after 10 seconds for the shown version; a conflict shows the user again', async () => {
    const [kept, gone] = [await createUser(service.url, 'Changed Meanwhile'), await createUser(service.url, 'Gone')];
    await using console = await open(screen, `/?user=${gone.id}`);
    const sent = recordDeletions(console);
    await console.clickButton('Delete user');
    await row(console, kept.name).click();
    await console.clickButton('Delete user');
    expect(await console.page.getByRole('button', { name: 'Undo' }).count()).toBe(2);
    await renameUser(service.url, kept.id, 'Changed by others');
    await console.page.getByText(`${kept.name} was not deleted: changed elsewhere to version 2 meanwhile`).waitFor();
    await row(console, 'Changed by others').waitFor();
    expect(await exists(gone.id)).toBe(false);
    expect(sent).toEqual(['"1"', '"1"']);
    expect(await row(console, gone.name).count()).toBe(0);
  });

  test('is sent when the page is left', async () => {
    const user = await createUser(service.url, 'Left Behind');
    await using console = await open(screen, `/?user=${user.id}`);
    await console.clickButton('Delete user');
    await row(console, user.name).waitFor({ state: 'detached' });
    expect(await exists(user.id)).toBe(true);
    await console.page.goto('about:blank');
    await expect.poll(() => exists(user.id)).toBe(false);
  });

  test('waits while its notice has the focus', async () => {
    const user = await createUser(service.url, 'Slow Reader');
    await using console = await open(screen, `/?user=${user.id}`);
    await console.clickButton('Delete user');
    const undo = console.page.getByRole('button', { name: 'Undo' });
    await undo.focus();
    await console.page.waitForTimeout(11_000);
    expect(await exists(user.id)).toBe(true);
    await console.clickButton('Dismiss');
    await expect.poll(() => exists(user.id)).toBe(false);
  });

  test('waits while Undo has the focus, also when the pointer leaves its notice', async () => {
    const user = await createUser(service.url, 'Keyboard And Mouse');
    await using console = await open(screen, `/?user=${user.id}`);
    await console.page.clock.install();
    await console.clickButton('Delete user');
    const notice = console.page.getByText(`Deleted ${user.name}`);
    await notice.waitFor();
    const undo = console.page.getByRole('button', { name: 'Undo' });
    await undo.focus();
    await notice.hover();
    await console.page.mouse.move(1, 1);
    await console.page.clock.fastForward(11_000);
    await console.page.waitForTimeout(200);
    expect(await exists(user.id)).toBe(true);
    await undo.press('Enter');
    await console.page.getByText(`Undone: Deleted ${user.name}`).waitFor();
    await row(console, user.name).waitFor();
  });

  test('that fails shows the user again, with the reason', async () => {
    const user = await createUser(service.url, 'Not Deleted');
    await using console = await open(screen, `/?user=${user.id}`);
    await console.page.route('**/v1/users/*', (route) => route.abort());
    await console.clickButton('Delete user');
    await console.page.getByText('Not Deleted was not deleted: The service cannot be reached').waitFor();
    await row(console, user.name).waitFor();
  });
});
