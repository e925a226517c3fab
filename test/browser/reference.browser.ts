import { execFileSync } from 'node:child_process';
import type { Browser, Locator, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { inspect, openPage, screens, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';
import { createUsers } from './users.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

describe.each(screens)('the reference at $name', (screen) => {
  const service = startSharedService();
  const open = (hash = '') => openPage(browser, screen, `${service.url}/docs${hash}`);

  test('introduces the service and lists the errors once', async () => {
    await using opened = await open();
    await opened.page.getByRole('heading', { name: 'User Management Service' }).waitFor();
    await opened.page
      .getByRole('cell', {
        name: 'The user has a version that If-Match, If-None-Match or If-Unmodified-Since excludes',
      })
      .waitFor();
    const countLines = (header: Element) => {
      const text = document.createRange();
      text.selectNodeContents(header);
      return text.getClientRects().length;
    };
    expect(await opened.page.getByRole('columnheader', { name: 'status' }).first().evaluate(countLines)).toBe(1);
    await inspect(opened, screen, 'reference');
  });

  test('starts with the base URL and a working request with its response', async () => {
    const [user] = await createUsers(service.url, 1, 1000 + screen.width);
    await using opened = await open();
    const { page } = opened;
    const start = page.getByRole('region', { name: 'Start' });
    await start.getByText(service.url, { exact: true }).waitFor();
    await start.getByText(`curl '${service.url}/v1/users?limit=1'`).waitFor();
    await start.getByText('200 OK').waitFor();
    const answer = start.getByRole('group', { name: 'Answer', exact: true });
    expect(JSON.parse((await answer.textContent()) ?? '')).toHaveLength(1);
    expect(user).toBeDefined();
    if (screen.width > 1000) expect(await isInView(answer)).toBe(true);
    await start.getByRole('button', { name: 'Copy the base URL' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(service.url);
    await inspect(opened, screen, 'reference-start');
  });

  testOnce(screen)('a slow first answer does not replace a later one', async () => {
    await using opened = await open();
    const { page } = opened;
    const start = page.getByRole('region', { name: 'Start' });
    await start.getByText('200 OK').waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    const answerLate = async (route: Route) => {
      await promise;
      await route.fulfill({ status: 401, json: {} });
    };
    await page.route('**/v1/users?limit=1', answerLate, { times: 1 });
    await page.reload();
    await start.getByRole('button', { name: 'Send' }).click();
    await start.getByText('200 OK').waitFor();
    const late = page.waitForResponse((response) => response.status() === 401);
    resolve();
    await (await late).finished();
    await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
    expect(await start.getByRole('status').textContent()).toMatch(/^200 OK/);
  });

  testOnce(screen)('explains in plain words why a request was not sent', async () => {
    await using opened = await open('#tag/users/PATCH/v1/users/{id}');
    const { page } = opened;
    const operation = page.locator('section[id$="tag/users/PATCH/v1/users/{id}"]');
    await operation.getByRole('button', { name: 'Try it' }).click();
    await operation.getByLabel('If-Match').pressSequentially('“1”');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('Not sent: A header has characters that none may have').waitFor();
    await operation.getByLabel('If-Match').fill('');
    await page.route('**/v1/users/*', (route) => route.abort());
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('Not sent: The service cannot be reached').waitFor();
  });

  test('shows an operation with samples in curl, JavaScript and Python', async () => {
    await using opened = await open('#tag/users/POST/v1/users');
    const { page } = opened;
    const operation = page.locator('section[id$="tag/users/POST/v1/users"]');
    await operation.getByText('createUser', { exact: true }).waitFor();
    await expect.poll(() => isInView(operation.getByRole('heading', { name: 'Create a user' }))).toBe(true);
    expect(await operation.textContent()).not.toContain('Bearer');
    const language = operation.getByLabel('Language of the sample');
    expect(await language.getByRole('option').allTextContents()).toEqual(['curl', 'JavaScript', 'Python']);
    await operation.getByText(`curl '${service.url}/v1/users'`).waitFor();
    await language.selectOption('Python');
    await operation.getByRole('button', { name: 'Copy' }).click();
    await operation.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('response = requests.post(');
    await operation.locator('summary', { hasText: '409' }).click();
    await operation.getByText('EMAIL_TAKEN').first().waitFor();
    await inspect(opened, screen, 'reference-operation');
  });

  test('sends the entered request by keyboard', async () => {
    await using opened = await open('#tag/users/GET/v1/users');
    const { page } = opened;
    const operation = page.locator('section[id$="tag/users/GET/v1/users"]');
    await operation.getByRole('button', { name: 'Try it' }).press('Enter');
    await operation.getByLabel('limit').fill('5');
    await operation.getByLabel('order').selectOption('desc');
    await operation.getByText(`curl '${service.url}/v1/users?limit=5&order=desc'`).waitFor();
    await operation.getByLabel('Access token').fill('secret');
    await operation.getByText('Authorization: Bearer <token>').waitFor();
    const sent = page.waitForRequest((request) => request.url().startsWith(`${service.url}/v1/users`));
    await page.keyboard.press('Enter');
    const request = await sent;
    // Sends no defaults such as page=1, because a search allows neither page nor order.
    expect(new URL(request.url()).search).toBe('?limit=5&order=desc');
    expect(await request.headerValue('authorization')).toBe('Bearer secret');
    await operation.getByText('200 OK').waitFor();
    expect(await isInView(operation.getByText('200 OK'))).toBe(true);
    await inspect(opened, screen, 'reference-request');
  });

  testOnce(screen)('quotes an apostrophe in the sample for a shell', async () => {
    await using opened = await open('#tag/users/POST/v1/users');
    const { page } = opened;
    const operation = page.locator('section[id$="tag/users/POST/v1/users"]');
    await operation.getByRole('button', { name: 'Try it' }).click();
    const body = `{"name":"Conan O'Brien","email":"conan.o'brien@example.org"}`;
    await operation.getByLabel('Body').press('ControlOrMeta+a');
    await operation.getByLabel('Body').pressSequentially(body);
    await operation.getByRole('button', { name: 'Copy' }).click();
    await operation.getByRole('button', { name: 'Copied' }).waitFor();
    const sample = await page.evaluate(() => navigator.clipboard.readText());
    const listArguments = `curl() { printf '%s\\n' "$@"; }\n${sample}`;
    const passed = execFileSync('sh', ['-c', listArguments], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(passed.slice(passed.indexOf('-d'))).toEqual(['-d', body]);
    expect(passed[0]).toBe(`${service.url}/v1/users`);
  });

  test('a long response scrolls in its box, also by keyboard', async () => {
    await createUsers(service.url, 20, screen.width);
    await using opened = await open('#tag/users/GET/v1/users');
    const { page } = opened;
    const operation = page.locator('section[id$="tag/users/GET/v1/users"]');
    await operation.getByRole('button', { name: 'Try it' }).click();
    await operation.getByLabel('limit').pressSequentially('20');
    await page.keyboard.press('Enter');
    await operation.getByText('200 OK').waitFor();
    const answer = operation.getByRole('group', { name: 'Answer', exact: true });
    const readBox = () =>
      answer.evaluate((box) => {
        const text = document.createRange();
        text.selectNodeContents(box);
        const below = box.parentElement?.querySelector('details')?.getBoundingClientRect().top ?? 0;
        return {
          isLonger: text.getBoundingClientRect().height > box.clientHeight,
          isCut: getComputedStyle(box).overflowY !== 'visible',
          isAbove: box.getBoundingClientRect().bottom <= below,
        };
      });
    expect(await readBox()).toEqual({ isLonger: true, isCut: true, isAbove: true });
    await answer.press('End');
    await expect.poll(() => answer.evaluate((box) => box.scrollTop)).toBeGreaterThan(0);
    await inspect(opened, screen, 'reference-long-answer');
  });

  testOnce(screen)('explains why the service rejects a request', async () => {
    await using opened = await open('#tag/users/POST/v1/users');
    const operation = opened.page.locator('section[id$="tag/users/POST/v1/users"]');
    await operation.getByRole('button', { name: 'Try it' }).click();
    await operation.getByLabel('Body').fill('{');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('400 Bad Request').waitFor();
    await operation.getByText('"error": ').waitFor();
  });

  test('finds an operation', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.getByRole('heading', { name: 'User Management Service' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('delete v1');
    const contents = page.getByRole('navigation', { name: 'Contents' });
    await expect.poll(() => contents.getByRole('link').allTextContents()).toEqual(['Delete a userDELETE']);
    await inspect(opened, screen, 'reference-search');
    await page.keyboard.press('Enter');
    const operation = page.locator('section[id$="tag/users/DELETE/v1/users/{id}"]');
    await expect.poll(() => isInView(operation.getByRole('heading', { name: 'Delete a user' }))).toBe(true);
    expect(opened.problems).toEqual([]);
  });

  testOnce(screen)('links to GraphiQL only where the service has it', async () => {
    await using opened = await open();
    const { page } = opened;
    const links = page.getByRole('navigation', { name: 'Pages of the service' }).getByRole('link');
    await expect.poll(() => links.allTextContents()).toEqual(['Console', 'Reference', 'GraphiQL']);
    const settings = await (await fetch(`${service.url}/console.json`)).json();
    await page.route('**/console.json', (route) => route.fulfill({ json: { ...settings, links: [] } }));
    await Promise.all([page.waitForResponse('**/console.json'), page.reload()]);
    await page.getByRole('heading', { name: 'User Management Service' }).waitFor();
    expect(await links.allTextContents()).toEqual(['Console', 'Reference']);
  });
});

test('without a token, the reference redirects to the sign-in and back', async () => {
  const [screen] = screens;
  if (!screen) throw new Error('There is no screen');
  const closed = await startLocalService(['--memory', '--auth']);
  try {
    await using opened = await openPage(browser, screen, `${closed.url}/docs`);
    const { page } = opened;
    const start = page.getByRole('region', { name: 'Start' });
    await start.getByText('401 Unauthorized').waitFor();
    await start.getByRole('link', { name: 'sign in' }).click();
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    await start.getByText('200 OK').waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs');
    // The service has other keys after a restart.
    await page.evaluate(() => localStorage.setItem('access-token', 'e30.e30.x'));
    await page.reload();
    await start.getByText('401 Unauthorized').waitFor();
    // The console must not find out first that the token is invalid.
    await page.route('**/graphql', () => {});
    await page.route('**/v1/**', () => {});
    await start.getByRole('link', { name: 'sign in' }).click();
    await page.getByRole('button', { name: 'Sign in as developer' }).waitFor();
  } finally {
    await closed.stop();
  }
});

/** True if the element is visible below the top bar. */
const isInView = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 40 && bottom <= innerHeight;
  });
