import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TOKENS } from '../../../infra/local/settings.ts';
import { createSettingsPage } from '../../../infra/settings/page.ts';
import { createPlainProps } from '../../../infra/settings/props.ts';
import {
  localSettings,
  readLocalSettings,
  readSettings,
  SettingError,
  settings,
  toVariableName,
} from '../../../infra/settings/settings.ts';
import { environment } from '../../../lib/environment.ts';
import { findReachSeconds } from '../../../lib/features/change-log/order-log.ts';
import { findHistoryStart } from '../../../lib/features/history/history.ts';

test('the construct has each setting with a prop as a prop', async () => {
  await expect(createPlainProps()).toMatchFileSnapshot('../../../infra/construct/plain-props.ts');
});

test('each setting with a variable is read from it in lib/environment.ts', () => {
  const text = readFileSync('lib/environment.ts', 'utf8');
  const variables = Object.entries(settings.shape).flatMap(([name, setting]) =>
    setting.meta()?.variable ? [toVariableName(name)] : [],
  );
  expect(variables).toContain('HISTORY_DAYS');
  expect(variables.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

// provide.ts reads the settings of groups, because they become an own field.
test('each setting that npm start claims to apply has a variable, except corsOrigins and groups', () => {
  const withoutVariable = Object.entries(localSettings.shape).flatMap(([name, setting]) =>
    setting.meta()?.variable || TOKENS.some((token) => token === name) ? [] : [name],
  );
  expect(withoutVariable).toEqual(['corsOrigins', 'groups', 'maxGroups', 'groupRoles']);
});

test('infra/settings/README.md describes every setting once', async () => {
  const page = createSettingsPage();
  await expect(page).toMatchFileSnapshot('../../../infra/settings/README.md');
  const names = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual(Object.keys(settings.shape).sort());
});

test('infra/settings/README.md states how far histories and lists of changes reach back by default', () => {
  const historyHours = Math.round((environment.now() - findHistoryStart()) / 3_600_000);
  const listHours = findReachSeconds() / 3600;
  expect(settings.shape.historyDays.meta()?.unset).toContain(`histories: ${historyHours} hours, lists: ${listHours};`);
});

test('by default only signed requests are allowed, and no other origin', () => {
  expect(readSettings({})).toMatchObject({ auth: 'iam', corsOrigins: [] });
});

test('settings are parsed from text, as the command line gives them', () => {
  const given = {
    throttleRate: '20',
    customerManagedKey: 'true',
    canary: 'on',
    corsOrigins: 'https://a.example,https://b.example',
  };
  expect(readSettings(given)).toMatchObject({
    throttleRate: 20,
    customerManagedKey: true,
    canary: true,
    corsOrigins: ['https://a.example', 'https://b.example'],
  });
});

test('context keys of CDK are ignored', () => {
  const context = {
    'aws:cdk:enable-path-metadata': true,
    '@aws-cdk/core:checkSecretUsage': true,
    'availability-zones:account=1:region=x': [],
  };
  expect(readSettings(context)).toEqual(readSettings({}));
});

test.each([
  ['auth', 'open', 'iam, jwt, cognito or none'],
  ['architecture', 'mips', 'arm64 or x86_64'],
  ['throttleRate', '0', '1 to 10000'],
  ['throttleRate', 'many', '1 to 10000'],
  ['maxStreams', '-1', '0 to 10000'],
  ['graphqlConcurrency', '0', '1 to 10000'],
  ['logRetentionDays', '31', '1, 3, 5, 7, 14, 30, 60'],
  ['corsOrigins', 'https://a.example/path', 'https://app.example.com'],
  ['corsOrigins', 'app.example.com', 'https://app.example.com'],
  ['alarmEmail', 'nobody', 'email address'],
  ['canary', 'maybe', 'on or off'],
  ['customerManagedKey', 'perhaps', 'on or off'],
  ['restoredStream', 'users-restored', 'ARN of the stream'],
  ['readScope', 'users read', 'a scope name'],
  ['account', '42', '12 digits'],
  ['region', 'Ireland', 'such as eu-west-1'],
  ['userPoolId', 'pool', 'id of a Cognito user pool'],
  ['domainName', 'https://users.example.com', 'host name, such as users.example.com'],
  ['certificateArn', 'arn:aws:acm:eu-west-1:123456789012:certificate/1', 'us-east-1'],
  ['stackName', '1st', 'letters, digits and hyphens, the first a letter'],
])('an invalid %s is rejected in one sentence that lists the allowed values', (name, value, allowed) => {
  const read = () => readSettings({ [name]: value });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(new RegExp(`^The setting ${name} is "${value}"; expected: [^\\n]*\\.$`));
  expect(read).toThrow(allowed);
});

test('region may be in any partition', () => {
  for (const region of ['eu-west-1', 'us-gov-west-1', 'eusc-de-east-1'])
    expect(readSettings({ region }).region).toBe(region);
});

test.each([
  [{ maxGroups: '3' }, 'The setting maxGroups requires groups=on.'],
  [{ groups: 'off', maxGroups: '3', groupRoles: 'a' }, 'The setting maxGroups, groupRoles requires groups=on.'],
  [{ groups: 'on', maxGroups: '21' }, 'The setting maxGroups is "21"; expected: 1 to 20.'],
  [{ groups: 'on', groupRoles: 'a,a' }, 'The setting groupRoles is "a,a"; expected: one or more different names'],
  [{ groups: 'on', groupRoles: 'a b' }, 'The setting groupRoles is "a b"; expected: one or more different names'],
])('the settings of groups %j are rejected', (given, message) => {
  for (const read of [readSettings, readLocalSettings]) expect(() => read(given)).toThrow(message);
});

test('an unknown setting is rejected with the list of all settings', () => {
  expect(() => readSettings({ atuh: 'none' })).toThrow(/^Unknown setting atuh; the settings are stackName, account, /);
});

test.each(['issuer', 'audience'])('auth=jwt without %s is rejected', (missing) => {
  const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', [missing]: '' };
  expect(() => readSettings(tokens)).toThrow(`The setting ${missing} is missing; expected with auth=jwt: `);
});

test('several audiences are separated by commas', () => {
  const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'web,mobile' };
  expect(readSettings(tokens).audience).toEqual(['web', 'mobile']);
});

test('an issuer without auth=jwt is rejected, because it would have no effect', () => {
  expect(() => readSettings({ issuer: 'https://issuer.example' })).toThrow(
    'The setting issuer requires auth=jwt, but auth is iam.',
  );
});

test.each(['cognito', 'iam', 'none'])(
  'listScope with auth=%s is rejected, as those who may read could list nevertheless',
  (auth) => {
    expect(() => readSettings({ auth, listScope: 'users:list' })).toThrow(
      `The setting listScope requires auth=jwt, but auth is ${auth}.`,
    );
  },
);

test('an existing pool needs clients that are named, or one that is asked for', () => {
  const pool = { auth: 'cognito', userPoolId: 'eu-west-1_AbCdEfGhI' };
  expect(() => readSettings(pool)).toThrow('The setting userPoolId requires audience');
  expect(readSettings({ ...pool, audience: '1example23456789' }).audience).toEqual(['1example23456789']);
  expect(readSettings({ ...pool, userPoolClient: 'on' }).userPoolClient).toBe(true);
  expect(() => readSettings({ auth: 'cognito', audience: 'x' })).toThrow('The setting audience requires auth=jwt');
});
