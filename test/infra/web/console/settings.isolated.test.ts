import { expect, test } from 'vitest';
import {
  consoleSettings,
  createDeployedSettings,
  createLocalSettings,
} from '../../../../infra/web/console/settings.ts';

const offer = { sortByName: true, changes: 'live' } as const;

test('the console asks for a token if the service requires one', () => {
  const read = (issuer?: string) =>
    createLocalSettings(
      {
        data: '.data',
        requiresToken: true,
        rights: { writeScope: 'users:write', historyScope: 'users:history' },
        offer,
        ...(issuer ? { issuer, tokenIssuer: issuer } : {}),
      },
      [],
    ).auth;
  const token = { kind: 'token', writeScope: 'users:write', historyScope: 'users:history' };
  expect(read()).toEqual({ ...token, hasDeveloperTokens: false });
  expect(read('http://127.0.0.1:3001')).toEqual({
    ...token,
    issuer: 'http://127.0.0.1:3001',
    hasDeveloperTokens: true,
  });
});

test('the console of a deployment signs in at the issuer, unless the service is open', () => {
  const signIn = {
    issuer: 'https://issuer.example',
    audience: 'users',
    clientId: 'console',
    scope: 'openid users:read',
  };
  expect(createDeployedSettings({}, offer, signIn).auth).toEqual({ kind: 'sign-in', ...signIn });
  expect(createDeployedSettings({}, offer).auth).toEqual({ kind: 'none' });
});

test('the settings contain the own fields in order, locally and deployed', () => {
  const nickname = { type: 'string', unique: true } as const;
  const age = { type: 'integer', minimum: 0 } as const;
  const fields = [
    { ...nickname, name: 'nickname' },
    { ...age, name: 'age' },
  ];
  expect(createDeployedSettings({ nickname, age }, offer).fields).toEqual(fields);
  expect(
    consoleSettings.parse(createLocalSettings({ data: '', requiresToken: false, rights: {}, offer }, fields)).fields,
  ).toEqual(fields);
});
