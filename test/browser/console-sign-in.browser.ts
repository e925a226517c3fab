import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDIENCE, type Issuer, startIssuer } from '../auth/issuer.ts';
import { type LocalService, startLocalService } from '../setup/local-service.ts';
import { startChromium } from './chromium.ts';
import { inspect, openPage, screens } from './pages.ts';

let browser: Browser;
let issuer: Issuer;
let service: LocalService;
beforeAll(async () => {
  [browser, issuer] = await Promise.all([startChromium(), startIssuer()]);
  service = await startLocalService(['--memory', '--issuer', issuer.url, '--audience', AUDIENCE]);
});
afterAll(() => Promise.all([browser.close(), service.stop(), issuer.stop()]));

/** Stands for the pages of an issuer, under the origin of the console, whose policy allows no other on this machine. */
async function simulateIssuer(page: Page): Promise<URLSearchParams[]> {
  const exchanges: URLSearchParams[] = [];
  const url = `${service.url}/issuer`;
  const auth = { kind: 'sign-in', issuer: url, clientId: 'console', audience: AUDIENCE, scope: 'openid users:read' };
  await page.route('**/console.json', (route) => route.fulfill({ json: { links: [], auth } }));
  await page.route('**/issuer/.well-known/openid-configuration', (route) =>
    route.fulfill({
      json: { issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
    }),
  );
  await page.route('**/issuer/authorize?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    const answer = new URLSearchParams({ code: 'the-code', state: searchParams.get('state') ?? '' });
    return route.fulfill({ status: 302, headers: { location: `${searchParams.get('redirect_uri')}?${answer}` } });
  });
  await page.route('**/issuer/token', async (route) => {
    exchanges.push(new URLSearchParams(route.request().postData() ?? ''));
    await route.fulfill({ json: { access_token: await issuer.sign(), expires_in: 300 } });
  });
  return exchanges;
}

describe.each(screens)('the console of a service that requires tokens, at $name', (screen) => {
  test('signs in at the issuer, comes back to the same users, and signs out', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const exchanges = await simulateIssuer(page);
    await page.goto(`${service.url}/?order=asc`);
    await page.getByText('The users cannot be listed').waitFor();
    await inspect(opened, screen, 'console-signed-out');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No users yet').waitFor();
    expect(new URL(page.url()).search).toBe('?order=asc');
    expect(exchanges.map((exchange) => exchange.get('code'))).toEqual(['the-code']);
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The users cannot be listed').waitFor();
  });

  test('takes a token where there is no place to sign in', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    await page.getByRole('button', { name: 'Add token' }).click();
    await page.getByLabel('Bearer token').fill(await issuer.sign());
    await page.getByText('No users yet').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
