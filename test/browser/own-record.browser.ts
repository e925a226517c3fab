import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startChromium } from './chromium.ts';

type Example = Awaited<ReturnType<typeof import('../../infra/own-record/serve.ts').startExample>>;

let browser: Browser;
let example: Example;

beforeAll(async () => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  const { startExample } = await import('../../infra/own-record/serve.ts');
  [browser, example] = await Promise.all([startChromium(), startExample(0)]);
});
afterAll(async () => {
  await browser.close();
  await example.stop();
});

const expectStatus = (page: Page, text: string) =>
  vi.waitFor(async () => expect(await page.getByRole('status').textContent()).toBe(text), { timeout: 60_000 });

async function openSignIn(email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(example.url);
  await page.keyboard.press('Tab');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  return page;
}

/** Signs in with an empty storage, as on another device. */
async function signIn(email: string): Promise<Page> {
  const page = await openSignIn(email);
  await expectStatus(page, 'Signed in');
  return page;
}

/** Sends a request to the service as an operator. */
async function operate(method: string, path: string, body: object) {
  const { requestToken } = await import('../../infra/scripts/local-token.ts');
  const { url, tokenIssuer = '' } = example.service;
  const response = await fetch(`${url}/v1/users${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await requestToken({ issuer: tokenIssuer })}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as { id: string };
}

test('the example page: a person creates, changes and deletes their own record by keyboard', async () => {
  const page = await signIn('ada@example.org');
  await page.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.type('Ada Lovelace');
  await page.keyboard.press('Tab');
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await expectStatus(page, 'Saved');
  expect(await page.locator('p').first().textContent()).toBe('Signed in as ada@example.org, plan free');

  // The late change of the first device is rejected, but kept in the form.
  const other = await signIn('ada@example.org');
  expect(await other.getByLabel('Nickname').inputValue()).toBe('ada');
  await other.getByLabel('Name', { exact: true }).fill('Ada King');
  await other.keyboard.press('Enter');
  await expectStatus(other, 'Saved');
  await page.getByLabel('Nickname').fill('countess');
  await page.keyboard.press('Enter');
  await expectStatus(page, 'The user has changed since the given version; read it again');

  await other.getByRole('button', { name: 'Delete my account' }).press('Enter');
  await expectStatus(other, 'Deleted');
  await other.getByLabel('Name', { exact: true }).fill('Ada');
  await other.keyboard.press('Enter');
  await expectStatus(other, 'The record was deleted; it can be created again 24 hours later');
});

test('the example page: a second login uses the same record', async () => {
  const page = await signIn('eve@example.org');
  await page.getByLabel('Name', { exact: true }).fill('Eve');
  await page.keyboard.press('Enter');
  await expectStatus(page, 'Saved');
  await page.getByLabel('Another email that I sign in with').fill('eve@work.example.org');
  await page.keyboard.press('Enter');
  await expectStatus(page, 'Added. Both logins use this record');
  const work = await signIn('eve@work.example.org');
  expect(await work.getByLabel('Name', { exact: true }).inputValue()).toBe('Eve');

  const bob = await signIn('bob@example.org');
  await bob.getByLabel('Name', { exact: true }).fill('Bob');
  await bob.keyboard.press('Enter');
  await expectStatus(bob, 'Saved');
  await bob.getByLabel('Another email that I sign in with').fill('eve@work.example.org');
  await bob.keyboard.press('Enter');
  await expectStatus(bob, 'Another record has this login');
});

test('the example page: an invited person signs in, downloads the data, and is locked out once suspended', async () => {
  const email = 'grace@example.org';
  const { id } = await operate('POST', '', { name: 'Grace', email, plan: 'pro' });
  const page = await signIn(email);
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Grace');
  expect(await page.locator('p').first().textContent()).toBe(`Signed in as ${email}, plan pro`);

  const button = page.getByRole('button', { name: 'Download my data' });
  const [download] = await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
  await expectStatus(page, 'Downloaded');
  expect(download.suggestedFilename()).toBe('my-data.json');
  const data = JSON.parse(readFileSync(await download.path(), 'utf8'));
  expect(data).toMatchObject({ user: { id, email, lastSeen: expect.any(String) }, logins: [email] });
  expect(data.user).not.toHaveProperty('status');

  await operate('PATCH', `/${id}`, { status: 'suspended' });
  await button.press('Enter');
  await expectStatus(page, 'The person is blocked');
  const other = await openSignIn(email);
  await expectStatus(other, 'The person is blocked');
  expect(await other.getByRole('button').allTextContents()).toEqual(['Sign in']);
});

test('the example page: an administrator adds and removes people, whom others do not see', async () => {
  const page = await signIn('admin@acme.example');
  await page.getByText('Grace, admin@acme.example, admin').waitFor();
  await page.getByLabel('Name of a new person').fill('Joan');
  await page.getByLabel('Email of a new person').fill('joan@example.org');
  await page.keyboard.press('Enter');
  await expectStatus(page, 'Added. The person can sign in now');
  await page.getByText('Joan, joan@example.org, member').waitFor();
  await page.getByLabel('Name of a new person').fill('Joan');
  await page.getByLabel('Email of a new person').fill('JOAN@example.org');
  await page.keyboard.press('Enter');
  await expectStatus(page, 'Another user has this email');

  const joan = await signIn('joan@example.org');
  expect(await joan.getByLabel('Name', { exact: true }).inputValue()).toBe('Joan');
  expect(await joan.getByText('People of').isVisible()).toBe(false);

  await page.getByRole('button', { name: 'Remove Grace' }).press('Enter');
  await expectStatus(page, 'The group needs another administrator first');
  await page.getByRole('button', { name: 'Remove Joan' }).press('Enter');
  await expectStatus(page, 'Removed Joan');
  expect(await page.getByRole('listitem').allTextContents()).toEqual(['Grace, admin@acme.example, adminRemove Grace']);
});
