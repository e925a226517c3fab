import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startChromium } from './chromium.ts';
import { ConsolePage } from './console-page.ts';
import { type Screen, screens } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUser, deleteUser, readUser } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

const service = startSharedService(['--fields', 'infra/own-record/fields.json']);
const [screen] = screens as [Screen];

test('the panel of a person shows the block, the last sign-in and the logins', async () => {
  const lastSeen = '2026-03-01T12:00:00.000Z';
  const sub = ['google|1', 'password|2'];
  const blocked = await createUser(service.url, 'Grace Murray', { sub, status: 'suspended', lastSeen });
  const invited = await createUser(service.url, 'Alan Turing');
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${blocked.id}`);
  const { page } = console;
  const panel = page.getByLabel('User', { exact: true });
  await panel.getByRole('alert').getByText('Status suspended: the person is blocked').waitFor();
  for (const login of sub) await panel.getByText(login, { exact: true }).waitFor();
  expect(await panel.getByText('Last seen').count()).toBe(1);
  expect(await panel.locator('time').first().getAttribute('datetime')).toBe(lastSeen);
  await console.inspect('console-blocked');
  await page.goto(`${service.url}/?user=${invited.id}`);
  await panel.getByText('Never', { exact: true }).waitFor();
  expect(await panel.getByRole('alert').count()).toBe(0);
});

test("earlier records of a person are in the profile and beside the person's data", async () => {
  const earlier = await createUser(service.url, 'Mary Early', { sub: ['google|7'] });
  await deleteUser(service.url, earlier.id);
  const { id } = await createUser(service.url, 'Mary Late', { sub: ['google|7', 'password|7'] });
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?user=${id}`);
  const panel = console.page.getByLabel('User', { exact: true });
  const link = panel.getByRole('link', { name: earlier.id });
  await panel.getByText('Earlier records', { exact: true }).waitFor();
  await link.waitFor();
  await console.inspect('console-earlier-records');
  await console.openTab('Privacy');
  await panel.getByText('The file names these earlier records').waitFor();
  await link.click();
  await panel.getByRole('button', { name: 'Download the data' }).waitFor();
  await panel.getByRole('heading', { name: 'Mary Early' }).first().waitFor();
});

test('the list shows the status that blocks and the last sign-in before other fields', async () => {
  await createUser(service.url, 'Edith Clarke', { nickname: 'edith' });
  await using console = await ConsolePage.open(browser, screen, service.url);
  const headers = console.page.getByRole('columnheader');
  await expect
    .poll(() => headers.evaluateAll((all) => all.map(({ textContent }) => textContent).filter(Boolean)))
    .toEqual(['Name', 'Email', 'Status', 'Last seen', 'Created']);
});

test('a merge keeps the logins of both within the limit, and says so if there are too many', async () => {
  const kept = await createUser(service.url, 'Ada Lovelace', { sub: ['a1', 'a2', 'a3'] });
  const other = await createUser(service.url, 'Ada King', { sub: ['b1', 'b2'] });
  const full = await createUser(service.url, 'Ada Byron', { sub: ['c1'] });
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?compare=${kept.id},${other.id}`);
  const dialog = console.page.getByRole('dialog', { name: 'Compare two users' });
  await dialog.getByText('a1, a2, a3, b1, b2 (the logins of both)').waitFor();
  await dialog.getByRole('button', { name: 'Merge and delete the other user' }).click();
  await console.page.getByText('Merged into Ada Lovelace').waitFor();
  expect(await readUser(service.url, kept.id)).toMatchObject({ sub: ['a1', 'a2', 'a3', 'b1', 'b2'] });

  await console.page.goto(`${service.url}/?compare=${kept.id},${full.id}`);
  await dialog.getByText('the logins of both are too many for one user, remove some first').waitFor();
});

test('a merge keeps the block of either user, or ends it if the operator chooses so', async () => {
  const kept = await createUser(service.url, 'Joan Clarke', { sub: ['j1'] });
  const other = await createUser(service.url, 'Joan Murray', { sub: ['j2'], status: 'suspended' });
  const third = await createUser(service.url, 'Joan Clark', { sub: ['j3'], status: 'suspended' });
  await using console = await ConsolePage.open(browser, screen, `${service.url}/?compare=${kept.id},${other.id}`);
  const dialog = console.page.getByRole('dialog', { name: 'Compare two users' });
  const merge = dialog.getByRole('button', { name: 'Merge and delete the other user' });
  await dialog.getByText('Joan Murray is blocked. Status suspended keeps the block, for all logins.').waitFor();
  await console.inspect('console-merge-blocked');
  await dialog.getByRole('radio', { name: 'active' }).check();
  await dialog.getByText('Joan Murray is blocked. Status active ends the block, for all logins.').waitFor();
  await merge.click();
  await console.page.getByText('Merged into Joan Clarke').waitFor();
  expect(await readUser(service.url, kept.id)).toMatchObject({ sub: ['j1', 'j2'], status: 'active' });

  await console.page.goto(`${service.url}/?compare=${kept.id},${third.id}`);
  await dialog.getByText('Joan Clark is blocked. Status suspended keeps the block, for all logins.').waitFor();
  await merge.click();
  await expect
    .poll(() => readUser(service.url, kept.id))
    .toMatchObject({ sub: ['j1', 'j2', 'j3'], status: 'suspended' });
});
