import { expect, test } from 'vitest';
import {
  consoleSettings,
  createDeployedSettings,
  createLocalSettings,
} from '../../../../infra/web/console/settings.ts';

const offer = { sortByName: true, changes: 'live' } as const;

test('the console asks for a token if the service requires one', () => {
  const rights = { writeScope: 'users:write', historyScope: 'users:history' };
  const info = { data: '.data', hasDeveloperTokens: true, rights, offer };
  const issuer = 'http://127.0.0.1:3001';
  expect(createLocalSettings(info, []).auth).toEqual({ kind: 'none' });
  expect(createLocalSettings({ ...info, tokenIssuer: issuer }, []).auth).toEqual({
    ...rights,
    kind: 'token',
    issuer,
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

test('a deployed console knows the limits that the service derives from declarations', () => {
  const city = { type: 'string', filter: true } as const;
  expect(createDeployedSettings({ city }, offer).fields).toEqual([{ ...city, name: 'city', maxLength: 64 }]);
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
    consoleSettings.parse(createLocalSettings({ data: '', hasDeveloperTokens: false, rights: {}, offer }, fields))
      .fields,
  ).toEqual(fields);
});

test('the settings contain the roles of groups, locally and deployed', () => {
  const groups = { type: 'membership', list: true, maxItems: 10, roles: ['member', 'admin'] } as const;
  const fields = [{ ...groups, name: 'groups' }];
  expect(createDeployedSettings({ groups }, offer).fields).toEqual(fields);
  expect(createLocalSettings({ data: '', hasDeveloperTokens: false, rights: {}, offer }, fields).fields).toEqual(
    fields,
  );
});
