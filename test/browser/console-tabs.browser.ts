import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { openPage, screens, signOut } from './pages.ts';
import { startSharedService } from './service-per-test.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService(['--auth']);

async function signIn(page: Page, access = 'Sign in as developer'): Promise<void> {
  await page.getByRole('button', { name: access }).click();
  await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
}

const field = (page: Page, name: string) => page.getByLabel('User', { exact: true }).getByLabel(name, { exact: true });

async function openBoth(name: string) {
  const opened = await openPage(browser, screens[0] ?? expect.unreachable(), `${service.url}/?user=new`);
  const { page: first } = opened;
  await signIn(first);
  await field(first, 'Name').pressSequentially(name);
  await field(first, 'Email').pressSequentially(`${name.toLowerCase()}@example.org`);
  await first.keyboard.press('Enter');
  await first.getByText(`Created ${name}`).waitFor();
  const second = await first.context().newPage();
  // Tabs share the token.
  await second.goto(first.url());
  await field(second, 'Name').waitFor();
  return { first, second, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

test('after a save in one tab, another tab with a draft shows both versions', async () => {
  await using both = await openBoth('Twice');
  const { first, second } = both;
  await field(first, 'Name').press('End');
  await field(first, 'Name').pressSequentially(' One');
  await field(second, 'Name').press('End');
  await field(second, 'Name').pressSequentially(' Two');
  await first.keyboard.press('Enter');
  await first.getByText('Saved Twice One. Version 2.').waitFor();
  await second.getByText('This user was changed elsewhere to version 2 while you were typing.').waitFor();
  expect(await field(second, 'Name').inputValue()).toBe('Twice Two');
  await second.keyboard.press('Enter');
  const dialog = second.getByRole('dialog');
  await dialog.getByText('Twice One').first().waitFor();
  await dialog.getByText('Twice Two').first().waitFor();
});

test('a draft in one tab survives a deletion in another, and can create the user again', async () => {
  await using both = await openBoth('Gone');
  const { first, second } = both;
  await field(second, 'Name').press('End');
  await field(second, 'Name').pressSequentially(' But Typed');
  await first.getByRole('button', { name: 'Delete user' }).click();
  // Ends the time for an undo, which sends the deletion.
  await first.getByRole('button', { name: 'Dismiss' }).last().click();
  await second.getByLabel('User', { exact: true }).getByText('Gone was deleted elsewhere').waitFor();
  await second.getByLabel('User', { exact: true }).getByText('Gone But Typed').waitFor();
  const notice = second.getByTestId('notice').getByText('Gone was deleted elsewhere');
  await notice.waitFor();
  await second.getByRole('button', { name: 'Create again' }).click();
  await notice.waitFor({ state: 'detached' });
  expect(await field(second, 'Name').inputValue()).toBe('Gone But Typed');
  await second.getByRole('button', { name: 'Create', exact: true }).click();
  await second.getByText('Created Gone But Typed').waitFor();
});

test("a sign-out in one tab keeps the other tab's draft below a dialog until the same person signs in", async () => {
  await using both = await openBoth('Stayer');
  const { first, second } = both;
  await field(second, 'Name').press('End');
  await field(second, 'Name').pressSequentially(' Typed');
  await signOut(first);
  await first.getByRole('heading', { name: 'Sign in' }).waitFor();
  const dialog = second.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByText('It has ended in another tab.').waitFor();
  await second.reload();
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(second);
  await expect.poll(() => field(second, 'Name').inputValue()).toBe('Stayer Typed');
  await field(second, 'Name').press('Enter');
  await second.getByText('Saved Stayer Typed. Version 2.').waitFor();
});

test('a sign-out in one tab clears the other; a sign-in applies to both', async () => {
  await using both = await openBoth('Shared');
  const { first, second } = both;
  await signOut(first);
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await second.getByText('Shared').count()).toBe(0);
  await signIn(first, 'Only to read');
  await second.getByText('Read only').waitFor();
  await second.getByRole('link', { name: 'Shared' }).waitFor();
});

test("another person's token from another tab removes all drafts", async () => {
  await using both = await openBoth('Private');
  const { first, second } = both;
  await field(second, 'Name').press('End');
  await field(second, 'Name').pressSequentially(' Typed');
  const token = `head.${Buffer.from(JSON.stringify({ sub: 'somebody-else' })).toString('base64url')}.signature`;
  await first.evaluate((text) => localStorage.setItem('access-token', text), token);
  await second.waitForURL((url) => url.search === '');
  expect(await second.evaluate(() => sessionStorage.getItem('drafts') ?? '')).not.toContain('Private Typed');
});

test('without sign-in, the console does not send a stored token of an earlier service', async () => {
  const open = await startLocalService(['--memory']);
  try {
    await using opened = await openPage(browser, screens[0] ?? expect.unreachable(), open.url);
    const { page } = opened;
    await page.evaluate(() => {
      localStorage.setItem('access-token', 'left');
      localStorage.setItem('access-token-expires-at', '1');
    });
    await page.reload();
    await page.getByText('No users yet').waitFor();
  } finally {
    await open.stop();
  }
});
