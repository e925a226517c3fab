import { createReadStream } from 'node:fs';
import { expect, test, vi } from 'vitest';

// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/infra/transfer/presets/own-fields.json';
});
const { choosePreset } = await import('../../../../infra/transfer/choose-preset.ts');
const { PRESETS } = await import('../../../../infra/transfer/presets.ts');
const { readRows } = await import('../../../../infra/transfer/rows.ts');
const { ownFields } = await import('../../../../lib/users/fields/values.ts');

const NOTHING = { map: new Map<string, string>(), ignore: new Set<string>(), ownFields, keepTimes: true };
const choose = (name: string, choices: Partial<typeof NOTHING> = {}) => choosePreset(name, { ...NOTHING, ...choices });

const readFile = (file: string, choices?: Partial<typeof NOTHING>) => {
  const preset = choose(file.split('.')[0] ?? '', choices);
  return Array.fromAsync(readRows(createReadStream(`test/infra/transfer/presets/${file}`), { preset }));
};

const ADA = { name: 'Ada Lovelace', email: 'ada@example.org', phone: '+4917012345' };
const BOB = { name: 'Bob Byte', email: 'bob@example.org' };
const times = { kept: { createdAt: '2020-10-06T15:33:11.123Z' } };
const secondTimes = { kept: { createdAt: '2021-02-03T04:05:06.000Z' } };
const sameId = (id: string) => ({ subject: id, externalId: id });
const verified = { emailVerified: true };
const unverified = { emailVerified: false };
const blocked = { blocked: true };
const active = { blocked: false };

test.each<[file: string, ada: object, bob: object]>([
  [
    'auth0.ndjson',
    {
      user: { ...ADA, ...sameId('auth0|5f7c8ec7c33c6c004bbafe82'), ...verified, ...blocked, metadata: { plan: 'pro' } },
      ...times,
    },
    { user: { ...BOB, ...sameId('google-oauth2|109'), ...unverified }, ...secondTimes },
  ],
  [
    'cognito.json',
    { user: { ...ADA, ...sameId('eaad0219-2117-439f-8d46-4db20e59268f'), ...verified, ...blocked }, ...times },
    { user: { ...BOB, ...sameId('1b2c0219-2117-439f-8d46-4db20e592690'), ...unverified, ...active }, ...secondTimes },
  ],
  ['cognito.csv', { user: { ...ADA, ...verified }, kept: {} }, { user: { ...BOB, ...unverified }, kept: {} }],
  [
    'firebase.json',
    { user: { ...ADA, ...sameId('XyZ0123456789abcdefghijklmn2'), ...verified, ...blocked }, ...times },
    { user: { ...BOB, ...sameId('AbC0123456789abcdefghijklmn3'), ...unverified }, ...secondTimes },
  ],
  [
    'firebase.csv',
    { user: { ...ADA, ...sameId('XyZ0123456789abcdefghijklmn2'), ...verified, ...blocked }, ...times },
    { user: { ...BOB, ...sameId('AbC0123456789abcdefghijklmn3'), ...unverified }, ...secondTimes },
  ],
  [
    'clerk.json',
    {
      user: { ...ADA, ...sameId('user_2abc4xyz567Q9zZdEf'), ...verified, ...blocked, metadata: { plan: 'pro' } },
      ...times,
    },
    { user: { ...BOB, ...sameId('user_2abc4xyz567Q9zZdEg'), ...unverified, ...active, metadata: {} }, ...secondTimes },
  ],
  [
    'clerk.csv',
    { user: { ...ADA, ...sameId('user_2abc4xyz567Q9zZdEf') }, kept: {} },
    { user: { ...BOB, ...sameId('user_2abc4xyz567Q9zZdEg') }, kept: {} },
  ],
  ...['supabase.json', 'supabase.csv'].map((file): [string, object, object] => [
    file,
    {
      user: {
        ...{ ...ADA, phone: '4917012345', ...sameId('d0e8c69f-e0c3-4a1c-b6d6-9a6c756a6a4b') },
        ...{ ...verified, ...blocked, metadata: { full_name: 'Ada Lovelace' } },
      },
      ...times,
    },
    {
      user: {
        ...{ ...BOB, ...sameId('d0e8c69f-e0c3-4a1c-b6d6-9a6c756a6a4c'), ...unverified },
        metadata: { name: 'Bob Byte' },
      },
      ...secondTimes,
    },
  ]),
  [
    'keycloak.json',
    {
      user: {
        ...{ ...ADA, ...sameId('4c973896-5761-41fc-8217-07c5d13a004b'), ...verified, ...blocked },
        metadata: { phoneNumber: ['+4917012345'], plan: ['pro'] },
      },
      ...times,
    },
    { user: { ...BOB, ...sameId('4c973896-5761-41fc-8217-07c5d13a004c'), ...unverified, ...active }, ...secondTimes },
  ],
  [
    'okta.json',
    { user: { ...ADA, externalId: '00u1ero7vZFVEIYLWPBN', ...blocked }, ...times },
    { user: { ...BOB, externalId: '00ub0oNGTSWTBKOLGLNR', ...active }, ...secondTimes },
  ],
  [
    'mailchimp.csv',
    { user: { ...ADA, tags: ['vip', 'news'] }, kept: { createdAt: '2020-10-06T15:33:11.000Z' } },
    { user: BOB, ...secondTimes },
  ],
  ['hubspot.csv', { user: { ...ADA, externalId: '101' }, kept: {} }, { user: { ...BOB, externalId: '102' }, kept: {} }],
  ['google.csv', { user: ADA, kept: {} }, { user: BOB, kept: {} }],
  ['outlook.csv', { user: ADA, kept: {} }, { user: BOB, kept: {} }],
])('reads %s', async (file, ada, bob) => {
  const rows = await readFile(file);
  // Compares whole users: nothing else, such as a hash, is imported.
  expect(rows).toEqual(
    [ada, bob].map((row) => ({ line: expect.any(Number), size: expect.any(Number), posts: [], ...row })),
  );
});

test.each(Object.keys(PRESETS))('%s links its documentation, and says what it leaves out', (name) => {
  const { mapping, preset } = choose(name);
  expect(preset.pages.every((page) => URL.canParse(page))).toBe(true);
  expect(mapping).toContain(preset.pages[0]);
  expect(mapping).toMatch(/^ {2}email ← /m);
  for (const member of Object.keys(preset.leftOut)) expect(mapping).toContain(`  ${member}: `);
});

test('the mapping names fields that the deployment cannot store', () => {
  const fields = ownFields
    .filter(({ name }) => !['phone', 'subject'].includes(name))
    .map((field) => (field.name === 'blocked' ? { ...field, type: 'string' as const } : field));
  const { mapping, sources } = choose('auth0', { ownFields: fields, keepTimes: false });
  expect([...sources.keys()]).toEqual(['email', 'name', 'externalId', 'emailVerified', 'metadata']);
  expect(mapping).toContain('  name ← name, or given_name + family_name\n');
  expect(mapping.split('\n').slice(-7)).toEqual([
    '  subject (user_id): no own field is the subject',
    '  blocked (blocked): the own field has the type string, not boolean, so blocked users are imported like others',
    '  phone (phone_number): no own field is named phone',
    '  createdAt (created_at): stored only with --table and --keep-times',
    expect.stringMatching(/^ {2}passwords: .*never imported/),
    '  app_metadata: may grant rights: map single values, such as --map plan=app_metadata.plan',
    '  identities: linked accounts stay with Auth0',
  ]);
});

test('a map replaces a source, and ignore removes one', async () => {
  const choices = {
    map: new Map([
      ['app_metadata.plan', 'plan'],
      ['family_name+given_name', 'name'],
    ]),
    ignore: new Set(['metadata', 'blocked', 'user_id']),
  };
  expect(await readFile('auth0.ndjson', choices)).toMatchObject([
    { user: { name: 'Lovelace Ada', plan: 'gold' } },
    { user: { name: 'Byte Bob' } },
  ]);
  const users = (await readFile('auth0.ndjson', choices)).map((row) => (row.issues ? {} : row.user));
  expect(Object.keys(users[0] ?? {}).toSorted()).toEqual(['email', 'emailVerified', 'name', 'phone', 'plan']);
  expect(() => choose('auth0', { ignore: new Set(['plan']) })).toThrow('The preset auth0 does not read plan');
  expect(() => choose('auth1')).toThrow('No preset is named auth1. Presets are auth0, cognito');
});

test('a mapped member or column that is missing stops before the first row', async () => {
  const rows = readFile('hubspot.csv', { map: new Map([['Plan', 'plan']]) });
  await expect(rows).rejects.toThrow('No row has a member named "Plan"');
});

test('a mapped time without a zone is read as UTC', async () => {
  const rows = await readFile('hubspot.csv', { map: new Map([['Create Date', 'createdAt']]) });
  expect(rows).toMatchObject([{ kept: { createdAt: '2020-10-06T15:33:00.000Z' } }, {}]);
});
