import { expect, test } from 'vitest';
import {
  consoleSettings,
  createDeployedSettings,
  createLocalSettings,
} from '../../../../infra/web/console/settings.ts';

test('the console asks for a token if the service requires one', () => {
  expect(createLocalSettings({ data: '.data', requiresToken: true }, []).auth).toEqual({ kind: 'token' });
});

test('the console of a deployment signs in at the issuer, unless the service is open', () => {
  const signIn = {
    issuer: 'https://issuer.example',
    audience: 'users',
    clientId: 'console',
    scope: 'openid users:read',
  };
  expect(createDeployedSettings({}, signIn).auth).toEqual({ kind: 'sign-in', ...signIn });
  expect(createDeployedSettings({}).auth).toEqual({ kind: 'none' });
});

test('the console learns the own fields in their order, on this machine as in a deployment', () => {
  const nickname = { type: 'string', unique: true } as const;
  const age = { type: 'integer', minimum: 0 } as const;
  const fields = [
    { ...nickname, name: 'nickname' },
    { ...age, name: 'age' },
  ];
  expect(createDeployedSettings({ nickname, age }).fields).toEqual(fields);
  expect(consoleSettings.parse(createLocalSettings({ data: '', requiresToken: false }, fields)).fields).toEqual(fields);
});
