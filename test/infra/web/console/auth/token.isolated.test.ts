import '../browser-globals.ts';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '../../../../../infra/web/console/auth/access-token.ts';
import { describePerson, readClaims } from '../../../../../infra/web/console/auth/claims.ts';
import {
  authSettings,
  explainRejection,
  mayWrite,
  readDescription,
} from '../../../../../infra/web/console/auth/token.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const settings = { kind: 'token', issuer: 'https://issuer.example', hasDeveloperTokens: false } as const;
const claims = { iss: settings.issuer, scope: 'users:read', exp: NOW / 1000 + 60 };

/** The console verifies no signature. */
const createToken = (payload: object) => `head.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;

const explain = (payload: object, description?: string) =>
  explainRejection(createToken(payload), settings, description, NOW);

beforeEach(() => authSettings.set(() => settings));

test.each(['users-write', 'Schreibrecht für Kundendaten', 'Администраторы', '書き込み🙂'])(
  'a member of the group %s may write',
  (name) => {
    authSettings.set(() => ({ ...settings, writeGroup: { claim: 'groups', name } }));
    setToken(createToken({ ...claims, groups: ['Café', name] }));
    expect(mayWrite()).toBe(true);
    setToken(createToken({ ...claims, groups: ['Café'] }));
    expect(mayWrite()).toBe(false);
  },
);

test.each([
  ['a scope', { scope: 'users:read users:write' }, true],
  ['scopes as a list', { scope: ['users:read', 'users:write'] }, true],
  ["Entra ID's claim", { scp: 'users:read  users:write' }, true],
  ['another scope', { scope: 'users:read users:writer' }, false],
  ['no scope', { scope: undefined }, true],
  ['an empty scope', { scope: '' }, true],
])('a token with %s may write: %j %s', (_, scope, expected) => {
  authSettings.set(() => ({ ...settings, writeScope: 'users:write' }));
  setToken(createToken({ ...claims, ...scope }));
  expect(mayWrite()).toBe(expected);
});

test('the service decides what a token may do that the console cannot read', () => {
  authSettings.set(() => ({ ...settings, writeScope: 'users:write' }));
  setToken('opaque');
  expect(mayWrite()).toBe(true);
  setToken(createToken(claims));
  authSettings.set(() => ({ kind: 'none' }));
  expect(mayWrite()).toBe(true);
});

test.each([
  ['the name', { name: 'Ada', email: 'ada@example.org', sub: '1' }, 'Ada'],
  ['the address', { name: '', preferred_username: 7, email: 'ada@example.org', sub: '1' }, 'ada@example.org'],
  ['the subject', { sub: '1' }, '1'],
  ['nothing', {}, undefined],
])('a person is described by %s', (_, payload, description) => {
  expect(describePerson(readClaims(createToken(payload)) ?? {})).toBe(description);
});

test.each(['opaque', 'a.b.c', `head.${Buffer.from('[1]').toString('base64url')}.signature`, ''])(
  'the text %j has no claims',
  (token) => expect(readClaims(token)).toBeUndefined(),
);

test('a token of another kind, issuer or without scopes is explained', () => {
  expect(explainRejection('opaque', settings, undefined, NOW)).toEqual({
    hasExpired: false,
    reason: 'The token is not a JWT, or was cut off.',
  });
  expect(explain({ ...claims, iss: 'https://other.example' }).reason).toBe(
    'Its issuer is https://other.example, and not https://issuer.example.',
  );
  expect(explain({ ...claims, iss: undefined }).reason).toBe(
    'Its issuer is not named, and not https://issuer.example.',
  );
  expect(explain({ ...claims, scope: ' ' }, 'Audience not allowed').reason).toBe('It has no scope.');
  expect(explain({ ...claims, exp: undefined }, 'Audience not allowed').reason).toBe(
    'The service answered: Audience not allowed.',
  );
});

test('a token with a past expiry has expired', () => {
  expect(explain({ ...claims, exp: NOW / 1000 - 60 })).toEqual({
    hasExpired: true,
    reason: expect.stringMatching(/^It expired at Jun 1\d, 2026, \d\d:\d\d\.$/),
  });
});

test("a token has expired if the service says so, although the device's clock is behind", () => {
  expect(explain(claims, 'the token has expired')).toEqual({
    hasExpired: true,
    reason: 'It has expired by the clock of the service.',
  });
});

test("the service's description explains a rejection if the token cannot", () => {
  expect(explain(claims, 'Audience not allowed')).toEqual({
    hasExpired: false,
    reason: 'The service answered: Audience not allowed.',
  });
  expect(explain(claims).reason).toBe('It is for another audience, has another signature, or lacks a scope.');
});

test.each(['www-authenticate', 'x-amzn-remapped-www-authenticate'])('the description is read from %s', (name) => {
  const challenge = 'Bearer error="invalid_token", error_description="Audience not allowed"';
  expect(readDescription(new Headers({ [name]: challenge }))).toBe('Audience not allowed');
  expect(readDescription(new Headers({ [name]: 'Bearer' }))).toBeUndefined();
});
