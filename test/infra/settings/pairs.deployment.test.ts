import { Template } from 'aws-cdk-lib/assertions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SettingError, type Settings } from '../../../infra/settings/settings.ts';
import { countRuns } from '../../setup/seed.ts';
import { createApp } from '../construct/synth.ts';

const TOKENS = { auth: 'jwt', issuer: 'https://id.example.org', audience: ['users'] };
const GROUPS = { readGroup: 'readers', writeGroup: 'writers' };
const SUBJECT = { sub: { type: 'string', subject: true, self: 'hidden' } };
const POOL = 'eu-west-1_AbCdEfGhI';

const BASES = [
  {},
  { auth: 'none' },
  TOKENS,
  { ...TOKENS, ...GROUPS, fields: SUBJECT },
  { auth: 'cognito' },
  { auth: 'cognito', ...GROUPS, fields: SUBJECT },
  { auth: 'cognito', userPoolId: POOL, userPoolClient: true },
];

const ON_OFF = [true, false];

const VALUES: { [Name in keyof Settings]: unknown[] } = {
  stackName: ['A', `A${'-x'.repeat(31)}1`],
  account: ['123456789012'],
  region: ['eu-west-1', 'eu-south-1', 'eusc-de-east-1'],
  auth: ['iam', 'jwt', 'cognito', 'none'],
  issuer: ['https://id.example.org/realms/one', 'https://accounts.google.com'],
  audience: [['users'], 'a,b'],
  readScope: ['read', 'users:write'],
  writeScope: ['write'],
  listScope: ['list', 'users:read'],
  historyScope: ['history', 'users:read'],
  eraseScope: ['erase'],
  selfScope: ['self', 'users:read'],
  groupScope: ['administrators', 'users:self'],
  subjectClaim: ['oid'],
  emailClaim: ['mail'],
  emailVerifiedClaim: ['verified'],
  selfDelete: ['off', 'delete', 'erase'],
  selfLink: ['off', 'verified-email'],
  emailFollows: [true, false],
  selfRate: [1, 10_000],
  groupsClaim: ['roles'],
  readGroup: ['readers', 'a group, with "signs"'],
  writeGroup: ['writers', 'readers'],
  callbackUrls: [['https://admin.example.com/'], 'myapp://callback,http://localhost:3000/'],
  selfSignUp: [['https://app.example.com/'], []],
  userPoolClient: ON_OFF,
  userPoolId: [POOL, 'us-gov-west-1_AbCdEfGhI'],
  domainName: ['users.example.com'],
  certificateArn: ['arn:aws:acm:us-east-1:123456789012:certificate/a-b'],
  corsOrigins: ['*', ['https://app.example.com', 'http://localhost:5173']],
  architecture: ['x86_64'],
  logRetentionDays: [1, 3653],
  throttleRate: [1, 10_000],
  subscriptions: ['function-url', 'web-function'],
  concurrency: [10, 100, 101, 1_000, 1_000_000],
  maxStreams: [0, 1, 10_000],
  maxStreamsPerCaller: [1, 10_000],
  graphqlConcurrency: [1, 500, 10_000, 'unlimited'],
  maxReadUnits: [1, 1_000_000_000],
  maxWriteUnits: [1],
  serverTiming: ON_OFF,
  console: ON_OFF,
  siteLogs: ON_OFF,
  consoleClientId: ['console', 'users'],
  consoleScope: ['openid users:read'],
  consoleTokenOrigin: ['https://token.example.org'],
  fields: [
    SUBJECT,
    { plan: { type: 'string', filter: true, sort: true }, code: { type: 'string', unique: 'exact', search: true } },
    { birthday: { type: 'date', required: true } },
  ],
  groups: ON_OFF,
  maxGroups: [1, 20],
  groupRoles: ['member', ['viewer', 'editor', 'owner']],
  groupClaim: ['org_id', 'https://example.com/org'],
  groupAdminRoles: ['owner', ['owner', 'editor']],
  sortByName: ON_OFF,
  domainSearch: ON_OFF,
  events: ON_OFF,
  webhookUrl: ['https://crm.example.com:8443/hook?key=1'],
  historyDays: [1, 3650],
  backupDays: [1, 36_500],
  backupCopyVaultArn: ['arn:aws:backup:eu-central-1:123456789012:backup-vault:copies'],
  alarmEmail: ['ops@example.com'],
  runbookUrl: ['https://wiki.example.com/runbook'],
  dashboard: ON_OFF,
  canary: ON_OFF,
  tableName: ['abc', 'a'.repeat(255)],
  restoredStream: ['arn:aws:dynamodb:eu-west-1:123456789012:table/restored/stream/2026-01-01T00:00:00.000'],
  databaseEndpoint: ['http://localhost:8000'],
  deletionProtection: ON_OFF,
  tracing: ON_OFF,
  customerManagedKey: ON_OFF,
};

/** A case sets eight of 64 settings on average, and so 28 pairs. */
const few = fc.record(
  Object.fromEntries(
    Object.entries(VALUES).map(([name, values]) => [
      name,
      fc.oneof(
        { withCrossShrink: true },
        { weight: 7, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...values) },
      ),
    ]),
  ),
);

const context = fc.tuple(fc.constantFrom(...BASES), few).map(([base, values]) => ({
  ...base,
  ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
}));

const trySynthesize = (settings: Record<string, unknown>): string | undefined => {
  try {
    return JSON.stringify(Template.fromStack(createApp(settings).stack));
  } catch (error) {
    if (error instanceof SettingError) return undefined;
    throw error;
  }
};

test('combined settings make a template or a SettingError', () => {
  let templates = 0;
  fc.assert(
    fc.property(context, (settings) => {
      const template = trySynthesize(settings);
      if (template === undefined) return;
      templates++;
      expect(template).not.toMatch(/undefined|NaN|\[object|\$\{Token/);
    }),
    { seed: Number(process.env.TEST_SEED ?? 61), numRuns: countRuns(1_500) },
  );
  expect(templates).toBeGreaterThan(20);
});
