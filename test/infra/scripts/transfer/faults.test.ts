import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Results } from '../../../../infra/scripts/transfer/results.ts';
import { decompress } from '../../../../infra/scripts/transfer/source.ts';
import { openTableTarget } from '../../../../infra/scripts/transfer/table-target.ts';
import { importRows, type RowResult } from '../../../../infra/transfer/import-rows.ts';
import { Pace } from '../../../../infra/transfer/pace.ts';
import { readRows } from '../../../../infra/transfer/rows.ts';
import { queryUsers } from '../../../../lib/users/directory.ts';
import { clearTable } from '../../../lib/features/page-index/fixtures.ts';
import { createUser } from '../../../setup/create-user.ts';
import { readResults } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(clearTable);

/** Chunks may end within a character. */
async function* cut(bytes: Buffer, size = 4_999): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Options = {
  encoding?: string;
  delimiter?: string;
  map?: [string, string][];
  ignore?: string[];
  isDryRun?: boolean;
};

async function importBytes(bytes: Buffer, { map = [], ignore = [], isDryRun, ...text }: Options = {}) {
  const file = join(folder, 'users');
  const results = await Results.open(`${file}.results.ndjson`, undefined, { force: true });
  const tableOptions = {
    keepIds: false,
    keepTimes: false,
    despiteErasure: false,
    update: false,
    startedAt: results.startedAt,
    importId: results.importId,
  };
  const target = isDryRun ? undefined : await openTableTarget(tableOptions);
  const pace = new Pace({ maxLimit: 4, isBusy: () => false });
  const rows = readRows(decompress(cut(bytes)), { map: new Map(map), ignore: new Set(ignore) }, text);
  try {
    await importRows(rows, { target, pace, results });
  } finally {
    results.close({ isComplete: true });
  }
  return readResults(file);
}

const MB = 1024 * 1024;
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const longCell = `"${`${'x'.repeat(1_000)}\n`.repeat(300)}",long@example.org`;

type Fault = [row: string | Buffer, column: string | undefined, message: RegExp];

/** Names each row for its test. */
const nameRows = (faults: Fault[]) =>
  faults.map(([row, column, message], at) => {
    const start = Buffer.from(row)
      .toString('latin1', 0, 40)
      .replaceAll(/[^ -~]/g, '?');
    return [`${start} (${at})`, at, column, message] as const;
  });

/** The first issue of each rejected row. */
const listIssues = (results: RowResult[]) =>
  results.flatMap((result) => (result.result === 'invalid' ? [{ column: undefined, ...result.issues[0] }] : []));

/** Rows with the expected issue's column and part of its message. */
const FAULTS: Fault[] = [
  // Encodings
  [latin1('Zo\xeb,zoe@example.org'), undefined, /^Line 3 is not utf-8 at byte offset 43: choose the encoding$/],
  [Buffer.from([0x41, 0xc3]), undefined, /not utf-8/],
  [Buffer.from([0x41, 0xed, 0xa0, 0x80, 0x2c, 0x61]), undefined, /not utf-8/],
  [Buffer.from([0xc0, 0xaf, 0x2c, 0x61]), undefined, /not utf-8/],
  [Buffer.from('Ada,utf16@example.org', 'utf16le'), 'name', /control/],
  ['A\0da,nul@example.org', 'name', /control/],
  // Quotes
  ['"Ada,open@example.org', undefined, /never closed/],
  ['"Ada" Lovelace,after@example.org', undefined, /doubled/],
  ['"Ada "the first" Lovelace",inner@example.org', undefined, /doubled/],
  ['"', undefined, /never closed/],
  ['Ada,"open.email@example.org', undefined, /never closed/],
  ['"Ada"",odd@example.org', undefined, /never closed/],
  ['"Ada\nLovelace",break@example.org', 'name', /control/],
  // Byte order mark
  ['Ada,a\ufeffda@example.org', 'email', /email address/],
  // Duplicates
  ['Ada,good.0@example.org', 'email', /line 2/],
  ['Ada,GOOD.1@EXAMPLE.ORG', 'email', /line 4/],
  ['Ada,"good.2@example.org"', 'email', /line 6/],
  ['Ada, good.3@example.org ', 'email', /line 8/],
  // Columns
  ['Ada', 'email', /required/],
  ['Ada,cells@example.org,pro', undefined, /3 cells/],
  ['Ada;semicolon@example.org', 'email', /required/],
  ['Ada\ttab@example.org', 'email', /required/],
  ['"",x', 'name', /required/],
  [',no.name@example.org', 'name', /required/],
  ['No address,', 'email', /required/],
  // Names
  ['"   ",blank@example.org', 'name', /empty/],
  [`${'x'.repeat(257)},long.name@example.org`, 'name', /256 characters/],
  ['A\u0007da,bell@example.org', 'name', /control/],
  ['\u202eadA,bidi@example.org', 'name', /direction/],
  ['\u200b\u200b,invisible@example.org', 'name', /visible/],
  // Addresses
  ['Ada,ada', 'email', /email address/],
  ['Ada,@example.org', 'email', /email address/],
  ['Ada,ada@', 'email', /email address/],
  ['Ada,a@b@example.org', 'email', /email address/],
  ['Ada,a da@example.org', 'email', /email address/],
  ['Ada,.ada@example.org', 'email', /email address/],
  ['Ada,a..da@example.org', 'email', /email address/],
  ['Ada,ada@example', 'email', /email address/],
  ['Ada,ada@-example.org', 'email', /email address/],
  ['Ada,ada@exa_mple.org', 'email', /email address/],
  ['Ada,ada@192.0.2.1', 'email', /email address/],
  ['Ada,Ada <ada@example.org>', 'email', /email address/],
  ['Ada,"ada@example.org,ada@example.com"', 'email', /email address/],
  ['Ada,ada@example.org;', 'email', /email address/],
  [`Ada,${'a'.repeat(65)}@example.org`, 'email', /email address/],
  [`Ada,a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.example.org`, 'email', /254 octets/],
  ['Ada,mailto:ada@example.org', 'email', /email address/],
  ['Ada,ada@exam\u0000ple.org', 'email', /email address/],
  // Sizes
  [Buffer.alloc(10 * MB, 'x'), undefined, /10485760 bytes/],
  [Buffer.from(`"${'x'.repeat(300_000)}`), undefined, /never closed/],
];

const good = (at: number) => `Good ${at},good.${at}@example.org`;

describe('in a file with a valid row before each invalid one', () => {
  let results: RowResult[];
  let addresses: string[];
  beforeAll(async () => {
    await clearTable();
    const lines = FAULTS.flatMap(([row], at) => [Buffer.from(`${good(at)}\n`), Buffer.from(row), Buffer.from('\n')]);
    results = await importBytes(Buffer.concat([Buffer.from('\ufeffname,email\r\n'), ...lines]));
    addresses = (await queryUsers(undefined, 1_000)).users.map(({ email }) => email);
  });

  test.each(nameRows(FAULTS))('%s is rejected', (_, at, column, message) => {
    expect(listIssues(results)[at]).toEqual({ column, message: expect.stringMatching(message) });
  });

  test('each invalid row has one issue', () => {
    expect(listIssues(results)).toHaveLength(FAULTS.length);
  });

  test('all valid rows are imported', () => {
    expect(results.filter(({ result }) => result === 'created')).toHaveLength(FAULTS.length);
    expect(addresses.toSorted()).toEqual(FAULTS.map((_, at) => `good.${at}@example.org`).toSorted());
  });
});

test('a quoted cell of an ignored column may have line breaks, if the row is complete', async () => {
  const csv = `name,email,notes\nAda,ada@example.org,"one\n\ntwo, ""three"""\n${longCell}\nBob,bob@example.org,\n`;
  const results = await importBytes(Buffer.from(csv), { ignore: ['notes'] });
  expect(results[0]).toMatchObject({ line: 2, result: 'created' });
  expect(results[1]).toMatchObject({
    line: 5,
    result: 'invalid',
    issues: [{ message: expect.stringMatching(/never/) }],
  });
  expect(results.at(-1)).toMatchObject({ result: 'created' });
  expect(results.filter(({ result }) => result === 'created').length).toBe(2);
});

const NDJSON_FAULTS: Fault[] = [
  ['{"name":"Ada"', undefined, /not JSON/],
  ['["Ada","ada@example.org"]', undefined, /JSON object/],
  ['"Ada"', undefined, /JSON object/],
  ['null', undefined, /JSON object/],
  ['{"name":"Ada"}{"name":"Bob"}', undefined, /not JSON/],
  ['{"name":"Ada"}', 'email', /required/],
  ['{"name":1,"email":"number@example.org"}', 'name', /string/],
  ['{"name":"Ada","email":{"address":"ada@example.org"}}', 'email', /string/],
  ['{"name":"Ada","email":"unknown@example.org","nick":"a"}', 'nick', /not a known member/],
  ['{"name":"Ada","email":"posts@example.org","posts":{}}', 'posts', /list/],
  ['{"name":"Ada","email":"title@example.org","posts":[{"title":""}]}', 'posts.0.title', /empty/],
  [
    '{"name":"Ada","email":"time@example.org","posts":[{"title":"One","publishedAt":"now"}]}',
    'posts.0.publishedAt',
    /time/,
  ],
  ['{"name":"\\ud800","email":"surrogate@example.org"}', 'name', /Unicode|visible/],
];

describe('in NDJSON with a valid line before each invalid one', () => {
  let results: RowResult[];
  beforeAll(async () => {
    await clearTable();
    const lines = NDJSON_FAULTS.flatMap(([row], at) => [`{"name":"Good","email":"good.${at}@example.org"}`, row]);
    results = await importBytes(gzipSync(lines.join('\n')));
  });

  test.each(nameRows(NDJSON_FAULTS))('%s is rejected', (_, at, column, message) => {
    expect(listIssues(results)[at]).toEqual({ column, message: expect.stringMatching(message) });
  });

  test('each invalid line has one issue', () => {
    expect(listIssues(results)).toHaveLength(NDJSON_FAULTS.length);
  });

  test('all valid lines are imported', () => {
    expect(results.filter(({ result }) => result === 'created')).toHaveLength(NDJSON_FAULTS.length);
  });
});

test.each([
  ['UTF-16 with a byte order mark', Buffer.from('\ufeffname,email\nZoë,zoe@example.org\n', 'utf16le'), undefined],
  ['an encoding that was named', latin1('name,email\nZo\xeb,zoe@example.org\n'), 'windows-1252'],
  ['gzip, semicolons and CRLF', gzipSync('name;email\r\nZoë;zoe@example.org\r\n'), undefined],
])('reads %s', async (_, bytes, encoding) => {
  expect(await importBytes(bytes, encoding ? { encoding } : {})).toMatchObject([{ line: 2, result: 'created' }]);
  expect((await queryUsers(undefined, 2)).users).toMatchObject([{ name: 'Zoë', email: 'zoe@example.org' }]);
});

test.each([
  ['name,address\n', /No field is named "address"/, {}],
  ['name\n', /No column is named email/, {}],
  ['name,email,E-Mail\n', /Two columns map to the field email/, { map: [['E-Mail', 'email']] as [string, string][] }],
])('a file whose columns are not clear is rejected as a whole: %j', async (csv, message, options) => {
  const outcome = await importBytes(Buffer.from(csv), options).then(
    () => '',
    (error: Error) => error.message,
  );
  expect(outcome).toMatch(message);
});

test('results use the column names of the file', async () => {
  const csv = 'Full name,E-Mail\nAda,ada@example.org\nBob,bob\n';
  const map: [string, string][] = [
    ['Full name', 'name'],
    ['E-Mail', 'email'],
  ];
  expect(await importBytes(Buffer.from(csv), { map })).toMatchObject([
    { line: 2, result: 'created' },
    { line: 3, result: 'invalid', issues: [{ column: 'E-Mail', message: 'must be an email address' }] },
  ]);
});

test('a dry run checks all rows and writes none', async () => {
  const csv = Buffer.from('name,email\nAda,ada@example.org\nBob,bob\nEve,ADA@example.org\n');
  const results = await importBytes(csv, { isDryRun: true });
  expect(results.map(({ result }) => result)).toEqual(['valid', 'invalid', 'invalid']);
  expect((await queryUsers(undefined, 1)).users).toEqual([]);
});

test('an existing user stays unchanged', async () => {
  const { id } = await createUser({ name: 'Ada', email: 'ada@example.org' });
  expect(await importBytes(Buffer.from('name,email\nOther,Ada@example.org\n'))).toEqual([
    { line: 2, result: 'exists', id },
  ]);
  expect((await queryUsers(undefined, 1)).users).toMatchObject([{ name: 'Ada', version: 1 }]);
});

test('damaged gzip data stops the import with one line', async () => {
  const bytes = gzipSync('name,email\nAda,ada@example.org\n'.repeat(10_000));
  await expect(importBytes(bytes.subarray(0, bytes.length / 2))).rejects.toThrow('The gzip data is damaged');
});
