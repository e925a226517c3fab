import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSettings, SettingError, settings } from '../../infra/settings.ts';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

test('cdk.json shows every setting at its default, with what it takes', () => {
  const defaults: Record<string, unknown> = settings.parse({});
  for (const [name, { description }] of Object.entries(settings.shape)) {
    expect(context).toHaveProperty([`// ${name}`], description);
    expect(context).toHaveProperty([name], defaults[name] ?? '');
  }
});

test('the settings of cdk.json are the defaults', () => {
  expect(readSettings(context)).toEqual(readSettings({}));
});

test('nothing is open unless someone asks for it', () => {
  expect(readSettings({})).toMatchObject({ auth: 'iam', corsOrigins: [] });
});

test('the command line gives every setting as text', () => {
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

test("CDK's own context is passed over", () => {
  const cdks = {
    'aws:cdk:enable-path-metadata': true,
    '@aws-cdk/core:checkSecretUsage': true,
    'availability-zones:account=1:region=x': [],
  };
  expect(readSettings(cdks)).toEqual(readSettings({}));
});

test.each([
  ['auth', 'open', 'iam (signed requests only), jwt (tokens of the issuer for the audience) or none'],
  ['architecture', 'mips', 'arm64 or x86_64'],
  ['throttleRate', '0', 'from 1 to 10000'],
  ['throttleBurst', 'many', 'from 1 to 5000'],
  ['maxStreams', '-1', 'from 0 to 10000'],
  ['logRetentionDays', '31', '1, 3, 5, 7, 14, 30, 60'],
  ['corsOrigins', 'https://a.example/path', 'https://app.example.com'],
  ['alarmEmail', 'nobody', 'address'],
  ['canary', 'maybe', 'on or off'],
  ['customerManagedKey', 'perhaps', 'true or false'],
  ['restoredStream', 'users-restored', 'the ARN of the stream'],
  ['target', 'azure', 'aws, or emulator'],
  ['stackName', '1st', 'letters, digits and hyphens'],
])('a wrong %s is refused in one sentence that says what it takes', (name, value, allowed) => {
  const read = () => readSettings({ [name]: value });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(new RegExp(`^The setting ${name} cannot be "${value}": it takes [^\\n]*\\.$`));
  expect(read).toThrow(allowed);
});

test('a misspelled setting is named, beside those that there are', () => {
  expect(() => readSettings({ atuh: 'none' })).toThrow(/^There is no setting atuh; there are stackName, auth, /);
});

test.each(['issuer', 'audience'])('auth=jwt without %s is refused', (missing) => {
  const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users', [missing]: '' };
  expect(() => readSettings(tokens)).toThrow(`The setting ${missing} is missing: it takes`);
});

test('an issuer without auth=jwt is refused, for it would guard nothing', () => {
  expect(() => readSettings({ issuer: 'https://issuer.example' })).toThrow(
    'The setting issuer goes with auth=jwt only, and auth is iam.',
  );
});
