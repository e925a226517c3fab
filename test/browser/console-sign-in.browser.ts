import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AUDIENCE, startIssuer } from '../lib/auth/issuer.ts';
import { startChromium } from './chromium.ts';
import { inspect, openPage, screens, signOut, testOnce } from './pages.ts';
import { startSharedService } from './service-per-test.ts';

const issuer = await startIssuer();
let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => Promise.all([browser.close(), issuer.stop()]));

type Tokens = { seconds?: number; hasRefreshToken?: boolean; subjects?: string[] };

const DENIAL = { error: 'access_denied' };

/** The issuer has the same origin, because of the content security policy. */
async function simulateIssuer(page: Page, { seconds = 300, hasRefreshToken = false, subjects = [] }: Tokens = {}) {
  const answers = [DENIAL];
  const exchanges: URLSearchParams[] = [];
  const revoked: (string | null)[] = [];
  const signOuts: URLSearchParams[] = [];
  const url = new URL('/issuer', page.url()).href;
  const auth = { kind: 'sign-in', issuer: url, clientId: 'console', audience: AUDIENCE, scope: 'openid users:read' };
  const offer = { sortByName: true, changes: 'live' };
  const redirect = (route: Route, location: string) => route.fulfill({ status: 302, headers: { location } });
  const readForm = (route: Route) => new URLSearchParams(route.request().postData() ?? '');
  // Unlike a page's routes, these apply to popups.
  const context = page.context();
  await context.route('**/console.json', (route) =>
    route.fulfill({ json: { links: [{ label: 'API', path: '/docs' }], auth, offer, fields: [] } }),
  );
  await context.route('**/issuer/.well-known/openid-configuration', (route) =>
    route.fulfill({
      json: {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        end_session_endpoint: `${url}/end-session`,
        revocation_endpoint: `${url}/revoke`,
        scopes_supported: ['openid', 'offline_access'],
      },
    }),
  );
  await context.route('**/issuer/authorize?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    expect(searchParams.get('scope')).toBe('openid users:read offline_access');
    expect(searchParams.get('audience')).toBe(AUDIENCE);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    const { code = 'the-code', ...answer }: Record<string, string> = answers.shift() ?? {};
    const response = { ...(answer.error ? answer : { code }), state: searchParams.get('state') ?? '' };
    return redirect(route, `${searchParams.get('redirect_uri')}?${new URLSearchParams(response)}`);
  });
  await context.route('**/issuer/token', async (route) => {
    exchanges.push(readForm(route));
    const sub = subjects[exchanges.length - 1] ?? 'ada';
    await route.fulfill({
      json: {
        access_token: await issuer.sign({ jti: String(exchanges.length) }),
        id_token: await issuer.sign({ aud: 'console', sub }),
        expires_in: seconds,
        // Each exchange returns another refresh token, because issuers may accept one only once.
        ...(hasRefreshToken ? { refresh_token: `refresh-${exchanges.length}` } : {}),
      },
    });
  });
  await context.route('**/issuer/revoke', (route) => {
    revoked.push(readForm(route).get('token'));
    return route.fulfill({ status: 200 });
  });
  await context.route('**/issuer/end-session?*', (route) => {
    const { searchParams } = new URL(route.request().url());
    signOuts.push(searchParams);
    return redirect(route, searchParams.get('post_logout_redirect_uri') ?? '');
  });
  return { exchanges, revoked, signOuts, allow: () => answers.splice(0), deny: () => answers.push(DENIAL) };
}

const readStored = (page: Page) =>
  page.evaluate(() => [...Object.keys(sessionStorage), ...Object.values(localStorage), ...Object.keys(localStorage)]);

describe.each(screens)('the console of a service that requires tokens, at $name', (screen) => {
  const service = startSharedService(['--issuer', issuer.url, '--audience', AUDIENCE]);

  test('signs in at the issuer, returns to the same URL, and removes everything at sign-out', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { exchanges, revoked, signOuts } = await simulateIssuer(page, { hasRefreshToken: true });
    await page.goto(`${service.url}/?order=asc`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await inspect(opened, screen, 'console-signed-out');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Not signed in: access_denied').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await inspect(opened, screen, 'console-not-signed-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    expect(new URL(page.url()).search).toBe('?order=asc');
    expect(exchanges.map((exchange) => exchange.get('code'))).toEqual(['the-code']);
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).pressSequentially('Ada Lovelace');
    await page.getByLabel('Email', { exact: true }).pressSequentially(`ada-${screen.name}@example.org`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Created Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(revoked).toEqual(['refresh-1']);
    // Cognito needs logout_uri, Keycloak the client or the token, other issuers the standard's redirect URI.
    expect(signOuts.map((parameters) => Object.fromEntries(parameters))).toEqual([
      {
        client_id: 'console',
        id_token_hint: expect.stringMatching(/^ey/),
        post_logout_redirect_uri: `${service.url}/`,
        logout_uri: `${service.url}/`,
      },
    ]);
    expect(await page.getByText('Ada Lovelace').count()).toBe(0);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect((await readStored(page)).filter((text) => /oidc|token|refresh|eyJ/.test(text))).toEqual([]);
  });

  testOnce(screen)('signs out at the issuer although a save hangs', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { revoked, signOuts, allow } = await simulateIssuer(page, { hasRefreshToken: true });
    allow();
    await page.goto(`${service.url}/?user=new`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name', { exact: true }).pressSequentially('Hanging');
    await page.getByLabel('Email', { exact: true }).pressSequentially('hanging@example.org');
    await page.route(/\/v1\/users\?include=times$/, () => {});
    await page.keyboard.press('Enter');
    page.once('dialog', (question) => question.accept());
    await signOut(page);
    await expect.poll(() => signOuts).toHaveLength(1);
    expect(revoked).toEqual(['refresh-1']);
  });

  testOnce(screen)(
    'renews the token before it expires, with each refresh token once, also after a reload',
    async () => {
      await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
      const { page } = opened;
      // Tokens are renewed one minute before expiry, but at the earliest after one second.
      const { exchanges, allow } = await simulateIssuer(page, { seconds: 4, hasRefreshToken: true });
      allow();
      await page.goto(service.url);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByLabel('Name', { exact: true }).pressSequentially('Not lost');
      await expect.poll(() => exchanges.length).toBeGreaterThan(3);
      await page.reload();
      const before = exchanges.length;
      await expect.poll(() => exchanges.length).toBeGreaterThan(before + 2);
      const renewals = exchanges.slice(1);
      expect(renewals.map((exchange) => exchange.get('grant_type'))).toEqual(renewals.map(() => 'refresh_token'));
      expect(renewals.map((exchange) => exchange.get('refresh_token'))).toEqual(
        renewals.map((_, at) => `refresh-${at + 1}`),
      );
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Not lost');
      expect(await page.getByRole('dialog', { name: 'Sign in' }).count()).toBe(0);
    },
  );

  testOnce(screen)('renews an expired token before it returns to another page, once the issuer answers', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { exchanges, allow } = await simulateIssuer(page, { hasRefreshToken: true });
    allow();
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    await page.evaluate(() => localStorage.setItem('access-token-expires-at', '1'));
    const issuerIsDown = (route: Route) => route.fulfill({ status: 503, body: 'Down' });
    await page.context().route('**/issuer/token', issuerIsDown);
    await page.goto(`${service.url}/?return=/docs`);
    await page.getByText('The service cannot be reached').first().waitFor();
    expect(await page.getByRole('dialog', { name: 'Sign in' }).count()).toBe(0);
    await page.context().unroute('**/issuer/token', issuerIsDown);
    await page.reload();
    await page.waitForURL(({ pathname }) => pathname === '/docs');
    expect(exchanges.map((exchange) => exchange.get('refresh_token'))).toEqual([null, 'refresh-1']);
    await page.evaluate(() => localStorage.setItem('access-token-expires-at', '1'));
    await page
      .context()
      .route('**/issuer/token', (route) => route.fulfill({ status: 400, json: { error: 'invalid_grant' } }));
    await page.goto(`${service.url}/?return=/docs`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  testOnce(screen)('applies to another tab, and both tabs use each refresh token once', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { exchanges, allow } = await simulateIssuer(page, { seconds: 4, hasRefreshToken: true });
    allow();
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status', { name: 'Changes: Live' }).waitFor();
    const second = await page.context().newPage();
    await second.goto(service.url);
    await second.getByRole('status', { name: 'Changes: Live' }).waitFor();
    const before = exchanges.length;
    await expect.poll(() => exchanges.length).toBeGreaterThan(before + 5);
    const renewals = exchanges.slice(1).map((exchange) => exchange.get('refresh_token'));
    expect(renewals).toEqual(renewals.map((_, at) => `refresh-${at + 1}`));
    for (const each of [page, second]) expect(await each.getByRole('dialog', { name: 'Sign in' }).count()).toBe(0);
    await signOut(page);
    await second.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await readStored(second)).filter((text) => /oidc|token|refresh|eyJ/.test(text))).toEqual([]);
  });

  test('without renewal, asks for a sign-in through another window and continues pending work', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { allow, deny } = await simulateIssuer(page, { seconds: 5 });
    allow();
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).pressSequentially('Begun before');
    await page.getByLabel('Email', { exact: true }).pressSequentially(`begun-${screen.name}@example.org`);
    await page.waitForFunction(() => Number(localStorage.getItem('access-token-expires-at')) < Date.now());
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByText('Your sign-in has expired').waitFor();
    await inspect(opened, screen, 'console-expired');
    deny();
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    // The dialog covers notices.
    await dialog.getByText('Not signed in: access_denied').waitFor();
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Created Begun before').waitFor();
    expect(page.context().pages()).toHaveLength(1);
  });

  testOnce(screen)('does not send a draft as another person who signs in later', async () => {
    await using opened = await openPage(browser, screen, `${service.url}/openapi.json`);
    const { page } = opened;
    const { allow } = await simulateIssuer(page, { seconds: 5, subjects: ['ada', 'grace'] });
    allow();
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).pressSequentially('Typed by Ada');
    await page.getByLabel('Email', { exact: true }).pressSequentially('typed.by.ada@example.org');
    await page.waitForFunction(() => Number(localStorage.getItem('access-token-expires-at')) < Date.now());
    await page.keyboard.press('Enter');
    const creations: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/v1/users')) creations.push(request.url());
    });
    const isLoaded = page.waitForEvent('load');
    await page.getByRole('dialog', { name: 'Sign in' }).getByRole('button', { name: 'Sign in' }).click();
    await isLoaded;
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect(creations).toEqual([]);
  });

  test('accepts a pasted token if there is no sign-in page, and removes it', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    const sent = new Set<string>();
    page.on('request', (request) => {
      if (/\/(v1|graphql)\b/.test(request.url())) sent.add(request.headers().authorization ?? 'none');
    });
    await page.getByLabel('Bearer token').pressSequentially('abc');
    await inspect(opened, screen, 'console-token');
    const token = await issuer.sign();
    await page.getByLabel('Bearer token').fill('Bearer täken');
    await page.getByText('A token has no spaces').waitFor();
    expect(await page.getByRole('button', { name: 'Use token' }).isDisabled()).toBe(true);
    await page.getByLabel('Bearer token').fill(`Bearer ${token}`);
    await page.getByRole('button', { name: 'Use token' }).click();
    await expect.poll(() => page.getByTestId('total').textContent()).toMatch(/in total/);
    expect([...sent]).toEqual([`Bearer ${token}`]);
    await page.goto(`${service.url}/graphql`);
    await expect.poll(() => page.locator('.CodeMirror').count()).toBe(4);
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await page.locator('.result-window').getByText('totalCount').waitFor();
    await page.goto(service.url);
    await expect.poll(() => page.getByTestId('total').textContent()).toMatch(/in total/);
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(opened.problems).toEqual([]);
  });

  test('shows why a token was rejected and keeps the draft', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    const use = async (token: string) => {
      await page.getByLabel('Bearer token').fill(token);
      await page.getByRole('button', { name: 'Use token' }).click();
    };
    for (const [claims, reason] of [
      [{ exp: Math.floor(Date.now() / 1000) - 60 }, 'It expired at'],
      [{ iss: 'https://other.example' }, 'Its issuer is https://other.example, and not'],
    ] as const) {
      await use(await issuer.sign(claims));
      await page.getByRole('alert').getByText(reason).waitFor();
    }
    await use('abc');
    await page.getByText('The token is not a JWT').waitFor();
    await inspect(opened, screen, 'console-rejected');
    await use(await issuer.sign());
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Not lost');
    await page.route('**/v1/users*', (route) => route.fulfill({ status: 401, json: { message: 'Unauthorized' } }));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    await page.unroute('**/v1/users*');
    await use(await issuer.sign());
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Not lost');
  });
});

async function startImport(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Import users' }).click();
  const buffer = Buffer.from(`name,email\nAda,${name}@example.org\n`);
  await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByRole('button', { name: 'Hide' }).click();
}

describe.each(screens)('the console of a service with a separate issuer, at $name', (screen) => {
  const service = startSharedService(['--auth']);

  test('signs in with one click, read-only or with write access; readers see no forbidden actions', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('button', { name: 'Commands' }).count()).toBe(0);
    await inspect(opened, screen, 'console-developer');
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('Email', { exact: true }).fill('ada@example.org');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Created Ada Lovelace').waitFor();
    await page.getByRole('tab', { name: 'Posts' }).click();
    await page.getByLabel('Title of the new post').fill('Notes');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Created “Notes”').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await signOut(page);
    await page.getByRole('button', { name: 'Only to read' }).click();
    await page.getByText('Read only').waitFor();
    await page.getByRole('link', { name: 'Ada Lovelace' }).click();
    await page.getByRole('tab', { name: 'Posts' }).waitFor();
    await inspect(opened, screen, 'console-reader');
    const expectNoButtons = async (...names: string[]) => {
      for (const name of names) expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    };
    await expectNoButtons('New user', 'Import users', 'Save', 'Delete user');
    await page.getByRole('tab', { name: 'Posts' }).click();
    await page.getByText('Notes').waitFor();
    await expectNoButtons('Add', 'Actions for Notes');
    await page.goto(`${service.url}/?user=new`);
    await page.getByText('Your token can only read').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Create', exact: true }).count()).toBe(0);
    await inspect(opened, screen, 'console-reader-new');
    await page.route('**/v1/users?*', (route) => route.fulfill({ status: 401, json: { message: 'Unauthorized' } }));
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('New user', { exact: true }).count()).toBe(0);
  });

  testOnce(screen)(
    'signs out although the network hangs, and removes the names of imported files and typed filter values',
    async () => {
      await using opened = await openPage(browser, screen, service.url);
      const { page } = opened;
      await page.getByRole('button', { name: 'Sign in as developer' }).click();
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByLabel('Name', { exact: true }).pressSequentially('Hanging');
      await page.getByLabel('Email', { exact: true }).pressSequentially(`hanging-${screen.name}@example.org`);
      await page.keyboard.press('Enter');
      await page.getByText('Created Hanging').waitFor();
      await page.evaluate(() => {
        localStorage.setItem('imports', '{"[\\"ada.csv\\",1,1]":{"id":"1","startedAt":1}}');
        const view = { name: 'Ada', filter: { phone: '+44 20 7946 0000' }, order: 'desc', columns: [] };
        localStorage.setItem('views', JSON.stringify([view]));
      });
      await page.route('**/v1/users/*', () => {});
      await page.getByRole('button', { name: 'Delete user' }).click();
      await signOut(page);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 30_000 });
      expect(await page.evaluate(() => [localStorage.getItem('imports'), localStorage.getItem('views')])).toEqual([
        null,
        '[]',
      ]);
    },
  );

  testOnce(screen)('an import goes on unless the person confirms the sign-out', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('createUsers')) await isReleased;
      await route.continue().catch(() => {});
    });
    await startImport(page, 'first.csv');
    const questions: string[] = [];
    page.on('dialog', (question) => {
      questions.push(question.type());
      return question.dismiss();
    });
    await signOut(page);
    await page.getByRole('region', { name: 'Import' }).getByRole('button', { name: 'Show' }).click();
    // A sign-out in another tab ends the token, but not the page.
    const other = await page.context().newPage();
    await other.goto(service.url);
    await other.getByRole('button', { name: 'Account' }).waitFor();
    await signOut(other);
    await page.getByRole('dialog', { name: 'Sign in' }).getByRole('button', { name: 'Sign in as developer' }).click();
    release();
    await page.getByRole('heading', { name: 'Imported first.csv' }).waitFor();
    expect(questions).toEqual(['confirm']);
  });

  testOnce(screen)('a confirmed sign-out stops a hanging import without another question', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('createUsers') ? undefined : route.fallback(),
    );
    await startImport(page, 'hanging.csv');
    const questions: string[] = [];
    page.on('dialog', (question) => {
      questions.push(question.type());
      return question.accept();
    });
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(questions).toEqual(['confirm']);
  });

  testOnce(screen)('an import continues after the token was rejected and renewed', async () => {
    await using opened = await openPage(browser, screen, service.url);
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign in as developer' }).click();
    await page.getByRole('button', { name: 'Import users' }).click();
    const rows = Array.from({ length: 300 }, (_, at) => `Imported ${at},imported.${at}.${screen.name}@example.org`);
    const buffer = Buffer.from(['name,email', ...rows].join('\n'));
    await page.getByLabel('File to import').setInputFiles({ name: 'users.csv', mimeType: 'text/csv', buffer });
    await page.route(
      (url) => url.pathname === '/graphql',
      (route) =>
        route.request().postData()?.includes('createUsers')
          ? route.fulfill({ status: 401, json: { message: 'Unauthorized' } })
          : route.continue(),
    );
    await page.getByRole('button', { name: 'Import 300 rows' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.waitFor();
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Sign in as developer' }).click();
    await page.getByRole('heading', { name: 'Imported users.csv' }).waitFor();
    await page.getByRole('button', { name: 'Download the results' }).waitFor();
    expect(await page.getByRole('dialog').textContent()).toMatch(/Created300|300Created/);
  });
});
