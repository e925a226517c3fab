import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Service } from '../../../../infra/local/service.ts';
import { readSettings } from '../../../../infra/settings/settings.ts';
import { findCodeBlocks } from '../../../setup/markdown.ts';
import { startServiceWithTokens } from '../../auth/apis.ts';
import { type Issuer, startIssuer } from '../../auth/issuer.ts';
import { createCaller } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

const page = readFileSync('lib/features/me/providers.md', 'utf8');
const sections = new Map(page.split(/^## /m).map((section) => [section.split('\n')[0], section] as const));
const findLines = (provider: string, language: string, at = 0) =>
  findCodeBlocks(sections.get(provider) ?? '', language)[at] ?? '';

type Account = { id: string; email?: string; isVerified: boolean };
type Claims = Record<string, unknown>;

type Provider = {
  audience: string;
  /** Returns the claims of a token. Runs the code that providers.md shows for this provider. */
  issue(account: Account): Claims | Promise<Claims>;
  client: Claims;
};

/** Standard claims, plus claims from the code in providers.md. */
const providers: Record<string, Provider> = {
  Cognito: {
    audience: 'people',
    async issue({ id, email, isVerified }) {
      const code = findLines('Cognito', 'js').replace('CLIENT_FOR_PEOPLE', 'people');
      const { handler } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
      const userAttributes = { sub: id, ...(email ? { email } : {}), email_verified: String(isVerified) };
      const { response } = await handler({
        callerContext: { clientId: 'people' },
        request: { userAttributes, groupConfiguration: {}, scopes: ['aws.cognito.signin.user.admin'] },
      });
      const { claimsToAddOrOverride, scopesToAdd } = response.claimsAndScopeOverrideDetails.accessTokenGeneration;
      const scope = ['aws.cognito.signin.user.admin', ...scopesToAdd].join(' ');
      return {
        ...{ sub: id, aud: undefined, client_id: 'people', username: id, token_use: 'access', version: 2 },
        ...{ auth_time: Math.floor(Date.now() / 1000), scope, ...claimsToAddOrOverride },
      };
    },
    client: { sub: 'nightly', client_id: 'nightly', aud: 'people', scope: 'UserManagement/users:self' },
  },
  Auth0: {
    audience: 'https://users.example.com',
    issue({ id, email, isVerified }) {
      const claims: Claims = {};
      const scopes = ['openid', 'profile'];
      const accessToken = {
        setCustomClaim: (name: string, value: unknown) => void Object.assign(claims, { [name]: value }),
        addScope: (scope: string) => void scopes.push(scope),
      };
      const exports: Record<string, (event: object, api: object) => Promise<void>> = {};
      runInContext(findLines('Auth0', 'js'), createContext({ exports }));
      exports.onExecutePostLogin?.(
        {
          resource_server: { identifier: 'https://users.example.com' },
          client: { client_id: 'CLIENT_FOR_PEOPLE' },
          user: { user_id: `auth0|${id}`, email, email_verified: isVerified },
        },
        { accessToken },
      );
      const aud = ['https://users.example.com', 'https://company.eu.auth0.com/userinfo'];
      return { sub: `auth0|${id}`, aud, azp: 'CLIENT_FOR_PEOPLE', scope: scopes.join(' '), ...claims };
    },
    client: {
      ...{ sub: 'nightly@clients', aud: 'https://users.example.com', azp: 'nightly', gty: 'client-credentials' },
      scope: 'users:self',
    },
  },
  Clerk: {
    audience: 'https://users.example.com',
    issue({ id, email, isVerified }) {
      const codes: Claims = { 'user.primary_email_address': email ?? null, 'user.email_verified': isVerified };
      const template: Record<string, string> = JSON.parse(findLines('Clerk', 'json'));
      const fill = (value: string) => {
        const [, code] = /^\{\{(.*)\}\}$/.exec(value) ?? [];
        return code === undefined ? value : codes[code];
      };
      const claims = Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fill(value)]));
      return { sub: `user_${id}`, azp: 'https://app.example.com', ...claims };
    },
    client: { sub: 'nightly', azp: 'nightly', aud: 'https://users.example.com', scope: 'users:self' },
  },
  Keycloak: {
    audience: 'users',
    issue({ id, email, isVerified }) {
      const { name, protocolMappers } = JSON.parse(findLines('Keycloak', 'json')) as {
        name: string;
        protocolMappers: { config: Record<string, string> }[];
      };
      const values: Claims = { email, emailVerified: isVerified };
      const aud = ['account'];
      const claims: Claims = {};
      for (const { config } of protocolMappers) {
        expect([config['access.token.claim'], config['id.token.claim']]).toEqual(['true', 'false']);
        if (config['included.custom.audience']) aud.push(config['included.custom.audience']);
        else claims[String(config['claim.name'])] = values[String(config['user.attribute'])];
      }
      const auth_time = Math.floor(Date.now() / 1000);
      return { sub: id, typ: 'Bearer', azp: 'app', aud, auth_time, scope: `openid profile ${name}`, ...claims };
    },
    // A Keycloak service account has a user's `sub`, like a person.
    client: { sub: 'nightly', azp: 'nightly', aud: 'users', scope: 'users:self' },
  },
  'Entra ID': {
    audience: 'API_APPLICATION_ID',
    issue({ id, email, isVerified }) {
      const { optionalClaims } = JSON.parse(findLines('Entra ID', 'json')) as {
        optionalClaims: { accessToken: { name: string }[] };
      };
      const values: Claims = {
        ...{ email, xms_edov: isVerified, idtyp: undefined, auth_time: Math.floor(Date.now() / 1000) },
      };
      const claims = Object.fromEntries(optionalClaims.accessToken.map(({ name }) => [name, values[name]]));
      return {
        ...{ sub: `pairwise-${id}`, oid: id, tid: 't', azp: 'app', ver: '2.0', aud: 'API_APPLICATION_ID' },
        ...{ scope: undefined, scp: 'Users.Self', ...claims },
      };
    },
    client: { sub: 'o', oid: 'o', azp: 'nightly', idtyp: 'app', aud: 'API_APPLICATION_ID', scp: 'Users.Self' },
  },
};

function readCommand(provider: string): Record<string, string> {
  const command = findLines(provider, 'sh').replaceAll('\\\n', ' ');
  return Object.fromEntries([...command.matchAll(/-c (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));
}

function readTable(provider: string) {
  const row = page.split('\n').find((line) => line.startsWith(`| ${provider} |`)) ?? '';
  const [, , subject = '', email = '', verified = '', scope = ''] = row
    .split('|')
    .map((cell) => cell.trim().replaceAll('`', '').replace('<resource server>', 'UserManagement'));
  return { subject, email, verified, scope };
}

/** All audiences at once, because the GraphQL function reads its audiences only once. */
const AUDIENCES = [...new Set(Object.values(providers).map(({ audience }) => audience))].join(',');

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

let count = 0;
const newAccount = (changes: Partial<Account> = {}): Account => {
  const id = `0a1b2c3d-${count++}`;
  return { id, email: `${id}@example.org`, isVerified: true, ...changes };
};

describe.each(Object.entries(providers))('%s', (name, { issue, client }) => {
  let service: Service;
  beforeAll(async () => {
    const { subject, email, verified, scope } = readTable(name);
    vi.stubEnv('SUBJECT_CLAIM', subject);
    vi.stubEnv('EMAIL_CLAIM', email);
    vi.stubEnv('EMAIL_VERIFIED_CLAIM', verified);
    vi.stubEnv('AUTH_SELF_SCOPE', scope);
    service = await startServiceWithTokens({ issuer: issuer.url, audience: AUDIENCES });
  });
  afterAll(async () => {
    await service.stop();
    vi.unstubAllEnvs();
  });

  const signIn = async (account: Account) => createCaller(service.url, await issuer.sign(await issue(account)));

  test("the page's command has the settings of its table", () => {
    const context = readCommand(name);
    const { stackName = 'UserManagement', ...settings } = readSettings({ ...context });
    const { subject, email, verified, scope } = readTable(name);
    const prefix = name === 'Cognito' ? `${stackName}/` : '';
    expect([settings.subjectClaim, settings.emailClaim, settings.emailVerifiedClaim]).toEqual([
      subject,
      email,
      verified,
    ]);
    expect(`${prefix}${settings.selfScope}`).toBe(scope);
    // The command must set groups, because anyone can sign in. At Cognito, the groups have defaults.
    if (name !== 'Cognito') expect([settings.readGroup, settings.writeGroup]).not.toContain(undefined);
  });

  test.each(['/v1/users/me', '/api/users/me'])(
    'a person creates, reads and changes their own record at %s',
    async (path) => {
      const account = newAccount();
      const person = await signIn(account);
      expect(await person.send(path)).toMatchObject({ status: 404 });
      expect(await person.send(path, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({ status: 201 });
      expect(JSON.stringify((await person.send(path)).body)).toContain(`"email":"${account.email}"`);
      expect(await person.send(path, { method: 'PATCH', body: { name: 'Ada King' } })).toMatchObject({ status: 200 });
      expect(await person.send(path.replace('/me', ''))).toMatchObject({ status: 403 });
    },
  );

  test('a person creates, reads and changes their own record in GraphQL', async () => {
    const account = newAccount();
    const person = await signIn(account);
    expect(await person.graphql('{ me { name } }')).toEqual({ data: { me: null } });
    const created = await person.graphql('mutation { createMe(input: { name: "Ada" }) { me { name email } } }');
    expect(created).toEqual({ data: { createMe: { me: { name: 'Ada', email: account.email } } } });
    const again = await signIn(account);
    expect(await again.graphql('mutation { updateMe(input: { name: "Ada King" }) { me { name } } }')).toEqual({
      data: { updateMe: { me: { name: 'Ada King' } } },
    });
    expect(JSON.stringify(await again.graphql('{ users(first: 1) { totalCount } }'))).toContain('FORBIDDEN');
  });

  test.each<[string, Partial<Account>]>([
    ['whose address is not verified', { isVerified: false }],
    ['without an address, such as a federated one', { email: undefined as unknown as string }],
  ])('a person %s creates no record in either API', async (_, changes) => {
    const person = await signIn(newAccount(changes));
    expect(await person.send('/v1/users/me', { method: 'POST', body: { name: 'Ada' } })).toMatchObject({
      status: 403,
      body: { code: 'EMAIL_NOT_VERIFIED' },
    });
    const answer = await person.graphql('mutation { createMe(input: { name: "Ada" }) { me { id } } }');
    expect(JSON.stringify(answer)).toContain('EMAIL_NOT_VERIFIED');
  });

  test("a client's own token identifies no person", async () => {
    const { scope } = readTable(name);
    const token = await issuer.sign({ scope: client.scp ? undefined : scope, ...client });
    const caller = createCaller(service.url, token);
    expect(await caller.send('/v1/users/me')).toMatchObject({ status: 403, body: { code: 'NO_PERSON' } });
    expect(JSON.stringify(await caller.graphql('{ me { id } }'))).toContain('NO_PERSON');
  });
});
