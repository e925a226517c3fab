import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createPosts, createUser, mergeUsers, readUser, renameUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest(['--fields', 'test/setup/person-fields.json']);

test.each(screens)('merges two users at $name, and undoes the merge', async (screen) => {
  const kept = await createUser(service.url, 'Ada Lovelace', { plan: 'free', sub: 'first' });
  const other = await createUser(service.url, 'Ada King', { nickname: 'ada', bio: 'A countess', sub: 'second' });
  await createPosts(service.url, other.id, 3);
  await using console = await ConsolePage.open(browser, screen, service.url);
  const { page } = console;
  await expect.poll(() => console.names()).toEqual(['Ada King', 'Ada Lovelace']);
  await page.getByRole('link', { name: 'Ada King' }).focus();
  await page.keyboard.press('Space');
  expect(await page.getByRole('button', { name: 'Compare' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Ada Lovelace' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Compare' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Compare two users' });
  // The default keeps the older user, and takes values that only the other has.
  await dialog
    .getByRole('radiogroup', { name: 'Keep' })
    .getByRole('radio', { name: 'Ada Lovelace', checked: true })
    .waitFor();
  await dialog.getByRole('radio', { name: 'A countess', checked: true }).waitFor();
  // A subject is set once.
  await dialog.getByText('first (from the user you keep, cannot be replaced)').waitFor();
  expect(await dialog.getByRole('radiogroup', { name: 'Sub' }).count()).toBe(0);
  // Neither user has a note, so the dialog omits it.
  expect(await dialog.getByText('Note').count()).toBe(0);
  const [cardRight, textRight] = await dialog
    .getByRole('radiogroup', { name: 'Email' })
    .evaluate((group) => [group, ...group.querySelectorAll('label')].map((each) => each.getBoundingClientRect().right));
  expect(textRight).toBeLessThanOrEqual(cardRight ?? 0);
  await console.inspect('compare');
  // Addresses are unique, so this one is free only after the other user is deleted.
  await dialog.getByRole('radiogroup', { name: 'Email' }).getByRole('radio', { checked: true }).focus();
  await page.keyboard.press('ArrowUp');
  await dialog.getByRole('radio', { name: other.email, checked: true }).waitFor();

  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Merged into Ada Lovelace').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await expect(readUser(service.url, other.id)).rejects.toThrow('404');
  expect(await readUser(service.url, kept.id)).toMatchObject({
    ...{ name: 'Ada Lovelace', email: other.email, nickname: 'ada', plan: 'free', sub: 'first' },
  });
  await console.openTab('Posts');
  await expect.poll(() => page.getByTestId('post').allTextContents()).toEqual(['Post 1', 'Post 2', 'Post 3']);
  await console.inspect('merged');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: Merged into Ada Lovelace').waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Ada King', email: other.email, sub: 'second' });
  expect(await readUser(service.url, kept.id)).toMatchObject({ email: kept.email, sub: 'first' });
  await expect.poll(() => page.getByTestId('post').count()).toBe(0);
});

const [screen] = screens as [Screen];

test('the histories of both users name the merge, and the history of the other user undoes it', async () => {
  const kept = await createUser(service.url, 'Ada Lovelace');
  const other = await createUser(service.url, 'Ada King');
  await mergeUsers(service.url, kept.id, other.id);
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${kept.id}&tab=history`);
  const { page } = console;
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Merged with Ada King').waitFor();
  await console.inspect('merged-history');
  await history.getByRole('link', { name: 'Ada King' }).click();
  await history.getByText('Merged into Ada Lovelace').waitFor();
  await console.inspect('merged-history-deleted');
  await console.clickButton('Undo the merge');
  await page.getByText('Undid the merge of Ada King').waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject(other);
});

test('does not merge users that changed since they were compared', async () => {
  const kept = await createUser(service.url, 'Grace Hopper');
  const other = await createUser(service.url, 'Grace Murray');
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?compare=${kept.id},${other.id}`);
  const dialog = console.page.getByRole('dialog', { name: 'Compare two users' });
  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).waitFor();
  // Blocks the change stream, which would show the change before the merge fails.
  await console.page.route('**/graphql', (route) =>
    route.request().headers().accept === 'text/event-stream' ? route.abort() : route.fallback(),
  );
  await renameUser(service.url, other.id, 'Grace Changed');
  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).click();
  await dialog.getByText('One of the users has changed since you compared. Check the values again.').waitFor();
  await dialog.getByRole('radio', { name: 'Grace Changed' }).first().waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Grace Changed' });
});

test('keeps the choices when a user changes elsewhere, and says so', async () => {
  const kept = await createUser(service.url, 'Edsger Older');
  const other = await createUser(service.url, 'Edsger Younger');
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?compare=${kept.id},${other.id}`);
  const { page } = console;
  const dialog = page.getByRole('dialog', { name: 'Compare two users' });
  const choice = dialog.getByRole('radio', { name: `Edsger Younger, ${other.email}` });
  await choice.click();
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor({ state: 'attached' });
  await renameUser(service.url, kept.id, 'Edsger Changed');
  await dialog.getByText('One of the users has changed since you compared. Check the values again.').waitFor();
  expect(await choice.isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).click();
  await page.getByText('Merged into Edsger Younger').waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Edsger Younger' });
});

test('does not offer to merge a user with itself', async () => {
  const { id } = await createUser(service.url, 'Ada Lovelace');
  const path = `/?compare=${id},${id.toUpperCase()}`;
  await using console = await ConsolePage.open(browser, screen, service.url + path);
  await console.page.getByRole('dialog').getByText('The link names the same user twice.').waitFor();
});
