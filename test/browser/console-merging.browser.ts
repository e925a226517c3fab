import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startServicePerTest } from './service-per-test.ts';
import { createPosts, createUser, deleteUser, readUser, renameUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startServicePerTest(['--fields', 'test/setup/person-fields.json']);

test.each(screens)('merges two users at $name despite an interruption and a busy service', async (screen) => {
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

  let moves = 0;
  await page.route('**/graphql', async (route) => {
    await sleep(300);
    const isMove = route.request().postData()?.includes('UpdatePost') ?? false;
    moves += isMove ? 1 : 0;
    if (!isMove || moves === 1) return route.fallback().catch(() => {});
    const error = { message: 'Busy', extensions: { code: 'SERVICE_UNAVAILABLE' } };
    return route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json: { errors: [error] } }).catch(() => {});
  });
  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('The merge has stopped. It goes on from this step.').waitFor();
  expect(await dialog.locator(':focus').count()).toBe(1);
  await console.inspect('merge-stopped');
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Ada King' });
  expect(await readUser(service.url, kept.id)).toMatchObject({ bio: 'A countess', email: kept.email });

  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await page.getByText('Merged.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor();
  await expect(readUser(service.url, other.id)).rejects.toThrow('404');
  expect(await readUser(service.url, kept.id)).toMatchObject({
    ...{ name: 'Ada Lovelace', email: other.email, nickname: 'ada', plan: 'free', sub: 'first' },
  });
  await console.openTab('Posts');
  await expect.poll(() => page.getByTestId('post').allTextContents()).toEqual(['Post 1', 'Post 2', 'Post 3']);
  await console.inspect('merged');
});

const [screen] = screens as [Screen];

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
  const release = await console.holdAnswers('**/v1/users/*', () =>
    dialog.getByRole('button', { name: 'Merge and delete the other user' }).click(),
  );
  await renameUser(service.url, other.id, 'Grace Changed');
  release();
  await dialog.getByText('Grace Changed has changed elsewhere since you compared. Compare again.').waitFor();
  await dialog.getByRole('button', { name: 'Compare again' }).click();
  await dialog.getByRole('radio', { name: 'Grace Changed' }).first().waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Grace Changed' });
});

test('ends the merge when the dialog closes', async () => {
  const kept = await createUser(service.url, 'Ada Lovelace');
  const other = await createUser(service.url, 'Ada King');
  await createPosts(service.url, other.id, 1);
  const path = `/?compare=${kept.id},${other.id}`;
  await using console = await ConsolePage.open(browser, screen, service.url + path);
  const { page } = console;
  const dialog = page.getByRole('dialog', { name: 'Compare two users' });
  const merge = dialog.getByRole('button', { name: 'Merge and delete the other user' });
  await merge.waitFor();
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('UpdatePost') ? undefined : route.fallback(),
  );
  await Promise.all([page.waitForRequest((request) => !!request.postData()?.includes('UpdatePost')), merge.click()]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goBack();
  await merge.waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Ada King' });
});

test('stops if the user to keep is deleted meanwhile', async () => {
  const kept = await createUser(service.url, 'Ada Lovelace');
  const other = await createUser(service.url, 'Ada King');
  await createPosts(service.url, other.id, 1);
  const path = `/?compare=${kept.id},${other.id}`;
  await using console = await ConsolePage.open(browser, screen, service.url + path);
  const dialog = console.page.getByRole('dialog', { name: 'Compare two users' });
  await console.page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('UpdatePost')) await deleteUser(service.url, kept.id).catch(() => {});
    return route.fallback();
  });
  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).click();
  await dialog.getByText('The user to keep was deleted elsewhere').waitFor();
  expect(await readUser(service.url, other.id)).toMatchObject({ name: 'Ada King' });
});

test('does not offer to merge a user with itself', async () => {
  const { id } = await createUser(service.url, 'Ada Lovelace');
  const path = `/?compare=${id},${id.toUpperCase()}`;
  await using console = await ConsolePage.open(browser, screen, service.url + path);
  await console.page.getByRole('dialog').getByText('The link names the same user twice.').waitFor();
});
