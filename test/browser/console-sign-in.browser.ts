import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDIENCE, type Issuer, startIssuer } from '../lib/auth/issuer.ts';
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
async function simulateIssuer(page: Page) {
  const answers = [{ error: 'access_denied' }, { code: 'the-code' }];
  const exchanges: URLSearchParams[] = [];
  const signOuts: string[] = [];
  const url = `${service.url}/issuer`;
  const auth = { kind: 'sign-in', issuer: url, clientId: 'console', audience: AUDIENCE, scope: 'openid users:read' };
  const redirect = (route: Route, location: string) => route.fulfill({ status: 302, headers: { location } });
  await page.route('**/console.json', (route) => route.fulfill({ json: { links: [], auth, fields: [] } }));
  await page.route('**/issuer/.well-known/openid-configuration', (route) =>
    route.fulfill({
      json: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        end_session_endpoint: `${url}/end-session`,
      },
    }),
  );
  await page.route('**/issuer/authorize?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    const answer = new URLSearchParams({ ...answers.shift(), state: searchParams.get('state') ?? '' });
    return redirect(route, `${searchParams.get('redirect_uri')}?${answer}`);
  });
  await page.route('**/issuer/token', async (route) => {
    exchanges.push(new URLSearchParams(route.request().postData() ?? ''));
    await route.fulfill({ json: { access_token: await issuer.sign(), expires_in: 300 } });
  });
  await page.route('**/issuer/end-session?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    signOuts.push(searchParams.get('client_id') ?? '');
    return redirect(route, searchParams.get('post_logout_redirect_uri') ?? '');
  });
  return { exchanges, signOuts };
}

describe.each(screens)('the console of a service that requires tokens, at $name', (screen) => {
  test('signs in at the issuer, comes back to the same address, and forgets everything at sign-out', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { exchanges, signOuts } = await simulateIssuer(page);
    await page.goto(`${service.url}/?order=asc&user=new`);
    await page.getByText('The users cannot be listed').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await inspect(opened, screen, 'console-signed-out');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Not signed in: access_denied').waitFor();
    await inspect(opened, screen, 'console-not-signed-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    expect(new URL(page.url()).search).toBe('?order=asc');
    expect(exchanges.map((exchange) => exchange.get('code'))).toEqual(['the-code']);
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('Email', { exact: true }).fill(`ada-${screen.name}@example.org`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Created Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('The users cannot be listed').waitFor();
    expect(signOuts).toEqual(['console']);
    expect(await page.getByText('Ada Lovelace').count()).toBe(0);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('takes a whole token where there is no place to sign in, and removes it', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    const sent = new Set<string>();
    page.on('request', (request) => sent.add(request.headers().authorization ?? 'none'));
    await page.getByRole('button', { name: 'Add token' }).click();
    await page.getByLabel('Bearer token').pressSequentially('abc');
    await inspect(opened, screen, 'console-token');
    const token = await issuer.sign();
    await page.getByLabel('Bearer token').fill('Bearer täken');
    await page.getByText('A token has no spaces').waitFor();
    expect(await page.getByRole('button', { name: 'Use token' }).isDisabled()).toBe(true);
    await page.getByLabel('Bearer token').fill(`Bearer ${token}`);
    await page.getByRole('button', { name: 'Use token' }).click();
    await expect.poll(() => page.getByTestId('total').textContent()).toMatch(/in total/);
    expect([...sent]).toEqual(['none', `Bearer ${token}`]);
    await page.goto(`${service.url}/graphql`);
    await expect.poll(() => page.locator('.CodeMirror').count()).toBe(4);
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await page.locator('.result-window').getByText('totalCount').waitFor();
    await page.goto(service.url);
    await expect.poll(() => page.getByTestId('total').textContent()).toMatch(/in total/);
    await page.getByRole('button', { name: 'Token', exact: true }).click();
    await page.getByRole('button', { name: 'Remove token' }).click();
    await page.getByText('The users cannot be listed').waitFor();
    expect(opened.problems).toEqual([]);
  });
});
