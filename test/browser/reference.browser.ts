import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { inspect, openPage, screens } from './pages.ts';

let browser: Browser;
let service: LocalService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startLocalService()]);
});
afterAll(() => Promise.all([browser.close(), service.stop()]));

describe.each(screens)('the reference at $name', (screen) => {
  const open = (hash = '') => openPage(browser, screen, `${service.url}/docs${hash}`);

  test('introduces the service and lists the errors once', async () => {
    await using opened = await open();
    await opened.page.getByRole('heading', { name: 'User Management Service' }).waitFor();
    await opened.page
      .getByRole('cell', { name: 'The user is at a version that If-Match or If-None-Match excludes' })
      .waitFor();
    await inspect(opened, screen, 'reference');
  });

  test('shows an operation with samples in curl, JavaScript and Python', async () => {
    await using opened = await open('#tag/users/POST/v1/users');
    const operation = opened.page.locator('section[id$="tag/users/POST/v1/users"]');
    await operation.getByText('createUser', { exact: true }).waitFor();
    expect(await operation.textContent()).not.toContain('YOUR_SECRET_TOKEN');
    await inspect(opened, screen, 'reference-operation');
    await operation.getByRole('button', { name: 'Shell Curl' }).click();
    const options = opened.page.getByRole('option');
    await expect.poll(async () => (await options.allTextContents()).toSorted()).toEqual(['Curl', 'Fetch', 'Requests']);
  });

  test('sends a request', async () => {
    await using opened = await open('#tag/users/GET/v1/users');
    const operation = opened.page.locator('section[id$="tag/users/GET/v1/users"]');
    await operation.getByRole('button', { name: /Test Request/ }).click();
    const answered = opened.page.waitForResponse((response) => response.url().startsWith(`${service.url}/v1/users`));
    await opened.page.getByRole('button', { name: /^Send/ }).first().click();
    const response = await answered;
    expect(response.status()).toBe(200);
    // A search takes neither page nor order.
    expect([...new URL(response.url()).searchParams.keys()]).toEqual(['limit']);
    expect(opened.problems).toEqual([]);
  });

  test('finds an operation', async () => {
    await using opened = await open();
    await opened.page.getByRole('heading', { name: 'User Management Service' }).waitFor();
    await opened.page.keyboard.press('Control+k');
    await opened.page.getByRole('combobox').fill('delete');
    await opened.page
      .getByRole('option', { name: /Delete a user/ })
      .first()
      .waitFor();
    expect(opened.problems).toEqual([]);
  });
});
