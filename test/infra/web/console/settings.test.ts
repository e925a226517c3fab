import { expect, test } from 'vitest';
import { readSettings } from '../../../../infra/settings.ts';
import { createDeployedSettings, createLocalSettings } from '../../../../infra/web/console/settings.ts';

const JWT = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', console: 'on' };

test('the console asks for a token if the service requires one', () => {
  expect(createLocalSettings({ data: '.data', requiresToken: true }).auth).toEqual({ kind: 'token' });
});

test('the console signs in at the issuer, as the audience unless it has a client id', () => {
  const signIn = { kind: 'sign-in', issuer: 'https://issuer.example', audience: 'users' };
  expect(createDeployedSettings(readSettings(JWT)).auth).toMatchObject({ ...signIn, clientId: 'users' });
  const withClient = readSettings({ ...JWT, consoleClientId: 'console' });
  expect(createDeployedSettings(withClient).auth).toMatchObject({ ...signIn, clientId: 'console' });
  expect(createDeployedSettings(readSettings({ auth: 'none', console: 'on' })).auth).toEqual({ kind: 'none' });
});
