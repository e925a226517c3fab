import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type AttributeValue, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findCodeBlocks } from '../setup/markdown.ts';
import { GENEROUS_TIME_LIMITS } from '../setup/time-limits.ts';

const FIELDS = 'test/setup/filter-fields.json';
// lib/ reads the fields on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/filter-fields.json';
});

const { TableName } = await import('../../lib/dynamodb/client.ts');
const { userKey } = await import('../../lib/dynamodb/keys.ts');
const { environment } = await import('../../lib/environment.ts');
const { erasureJob } = await import('../../lib/features/erasure/job.ts');
const { runJobs } = await import('../../lib/maintenance/run.ts');
const { fetchData, mutate } = await import('../lib/graphql/client.ts');
const { findItem, logChange, logWrite } = await import('../lib/on-change/log-write.ts');
const { bare } = await import('../lib/rest/client.ts');

const page = readFileSync('infra/analytics.md', 'utf8');
const readSection = (heading: string) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const sql = (heading: string) => findCodeBlocks(readSection(heading), 'sql');
const [duckViews = '', findMissing = ''] = sql('Read the files with DuckDB');
const [reports = ''] = sql('The reports');
const [athena = ''] = sql('Read the files with Athena');
const [mergeChanges = ''] = sql('Export only the changes');
const [reportViews = ''] = sql('Without S3');
const [exportAll = '', exportChanges = ''] = findCodeBlocks(readSection('Without S3'), 'sh');

const folder = mkdtempSync(join(tmpdir(), 'analytics-'));
afterAll(() => rmSync(folder, { recursive: true }));

// Items are in DynamoDB's JSON, as in an export.
type StoredItem = Record<string, AttributeValue>;
const readKey = ({ pk, sk }: StoredItem) => JSON.stringify({ pk, sk });

async function scan(): Promise<StoredItem[]> {
  const client = new DynamoDBClient();
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...(page.Items ?? []));
  client.destroy();
  return items;
}

const hash = (text: string | Buffer) => createHash('md5').update(text);

/** Writes a file per partition. The last partition is empty. Returns the entries of `manifest-files.json`. */
function writeData(path: string, prefix: string, lines: { key: string; line: object }[]) {
  mkdirSync(join(folder, path), { recursive: true });
  const PARTITIONS = 4;
  return Array.from({ length: PARTITIONS }, (_, partition) => {
    const own = lines.filter(({ key }) => (hash(key).digest()[0] ?? 0) % (PARTITIONS - 1) === partition);
    const file = gzipSync(own.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
    const name = `${prefix}${partition}.json.gz`;
    writeFileSync(join(folder, path, name), file);
    const dataFileS3Key = `users/AWSDynamoDB/01780000000000-a1b2c3d4/data/${name}`;
    const md5Checksum = hash(file).digest('base64');
    return { itemCount: own.length, md5Checksum, etag: `${hash(file).digest('hex')}-1`, dataFileS3Key };
  });
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html */
function writeExport(name: string, items: StoredItem[]): void {
  const lines = items.map((item) => ({ key: JSON.stringify(item.pk), line: { Item: item } }));
  const files = writeData(`${name}/export/data`, '', lines);
  const manifest = { version: '2020-06-30', itemCount: items.length, outputFormat: 'DYNAMODB_JSON' };
  writeFileSync(join(folder, name, 'export/manifest-summary.json'), JSON.stringify(manifest));
  writeFileSync(
    join(folder, name, 'export/manifest-files.json'),
    files.map((file) => `${JSON.stringify(file)}\n`).join(''),
  );
}

/** With the view NEW_IMAGE: a deleted item only has keys. */
function writeChanges(name: string, before: StoredItem[], after: StoredItem[], seconds: number): void {
  const images = new Map(after.map((item) => [readKey(item), item]));
  const former = new Map(before.map((item) => [readKey(item), item]));
  const lines = [...new Set([...former.keys(), ...images.keys()])]
    .filter((key) => JSON.stringify(former.get(key)) !== JSON.stringify(images.get(key)))
    .map((key) => {
      const Metadata = { WriteTimestampMicros: { N: `${1_780_000_000 + seconds}000000` } };
      const NewImage = images.get(key);
      return { key, line: { Metadata, Keys: JSON.parse(key), ...(NewImage ? { NewImage } : {}) } };
    });
  writeData(`${name}/changes`, `${seconds}-`, lines);
}

type Row = Record<string, unknown>;

/** Each has an empty database in memory, and another time zone than the reports. */
async function openDuckDB(name: string): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`SET file_search_path = '${join(folder, name)}'`);
  await connection.run(`SET TimeZone = 'America/New_York'`);
  return connection;
}

async function query(connection: DuckDBConnection, text: string): Promise<Row[][]> {
  const statements = await connection.extractStatements(text);
  const results: Row[][] = [];
  for (let at = 0; at < statements.count; at++)
    results.push((await (await statements.prepare(at)).runAndReadAll()).getRowObjectsJson());
  return results;
}

/** Translates a Hive type, such as `struct<S:string>`. Throws if the type is malformed. */
function toDuckType(hive: string): string {
  let rest = hive.replaceAll(/\s/g, '');
  const take = (pattern: RegExp): string => {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined) throw new Error(`Expected ${pattern} before ${rest}`);
    rest = rest.slice(found.length);
    return found;
  };
  const readMembers = (): string[] => {
    const members: string[] = [];
    do {
      const name = take(/^\w+:/).slice(0, -1);
      members.push(`"${name}" ${readType()}`);
    } while (take(/^[,>]/) === ',');
    return members;
  };
  const readType = (): string => {
    switch (take(/^(struct<|array<|string)/)) {
      case 'struct<':
        return `STRUCT(${readMembers().join(', ')})`;
      case 'array<': {
        const items = readType();
        take(/^>/);
        return `${items}[]`;
      }
      default:
        return 'VARCHAR';
    }
  };
  const type = readType();
  take(/^$/);
  return type;
}

/** Replaces the external table and the functions of Athena. */
function translateAthena(text: string): string {
  const table =
    /^CREATE EXTERNAL TABLE items \(\s*Item (?<type>struct<.*>)\s*\)\nROW FORMAT SERDE '[\w.]+'\nLOCATION 's3:\/\/[\w/]+\/data\/';\n/s;
  const { type } = table.exec(text)?.groups ?? {};
  if (!type) throw new Error('The page has no statement CREATE EXTERNAL TABLE');
  const columns = `{ Item: '${toDuckType(type)}' }`;
  return text
    .replace(
      table,
      `CREATE MACRO from_iso8601_timestamp(text) AS CAST(text AS TIMESTAMP);
       CREATE VIEW items AS SELECT * FROM read_json('export/data/*.json.gz', format = 'newline_delimited', columns = ${columns});`,
    )
    .replaceAll('transform(', 'list_transform(');
}

const MINUTE = 60_000;
const { now } = environment;
afterAll(() => {
  environment.now = now;
});

const TODAY = new Date();
/** Start of a month in UTC. */
const monthsAgo = (count: number) => new Date(Date.UTC(TODAY.getUTCFullYear(), TODAY.getUTCMonth() - count));

const [early, late] = [monthsAgo(4), monthsAgo(2)];
const PEOPLE = {
  ada: { at: +early - 1, fields: { plan: 'pro', seats: 3, tags: ['a', 'b, "c"'], memberNumber: 'quilladay' } },
  bob: { at: +early, fields: {} },
  cleo: { at: +early + 20 * 24 * 60 * MINUTE, fields: { plan: 'team', isStaff: true } },
  dan: { at: +late, fields: { plan: 'pro', startedOn: '2026-01-31' } },
  eve: { at: +late + 1, fields: { plan: 'free' } },
  fay: { at: +late + 2, fields: { plan: 'team' } },
  gus: { at: +TODAY, fields: { plan: 'team' } },
} as const;
type Name = keyof typeof PEOPLE;

const ids = new Map<Name, string>();
const find = (name: Name) => ids.get(name) ?? '';

/** No other text contains this word. */
const wordOf = (name: Name) => `quill${name}`;

async function create(name: Name): Promise<void> {
  const person = { name: `Sam ${wordOf(name)}`, email: `${wordOf(name)}@example.org`, ...PEOPLE[name].fields };
  const { status, json, text } = await bare.create(person);
  expect(status, text).toBe(201);
  ids.set(name, (json as { id: string }).id);
}

const createPost = async (name: Name) =>
  expect((await mutate('createPost', { authorId: find(name), title: `On ${wordOf(name)}s` })).payload).toBeDefined();

/** Runs the commands of the page, with the table and the fields of this test. */
function run(script: string): void {
  const input = `set -e
    node() { "$NODE" "$@"; }
    npm() { shift 4; (cd "$REPOSITORY" && node infra/scripts/export.ts --fields "$FIELDS" "\${@//reports\\//$FOLDER/reports/}"); }
    trap '[ ! -e reports/log ] || cat reports/log >&2' EXIT
    ${script}`;
  const env = {
    ...process.env,
    ...GENEROUS_TIME_LIMITS,
    NODE: process.execPath,
    REPOSITORY: resolve('.'),
    FOLDER: folder,
    TABLE: TableName,
    FIELDS,
  };
  const { status, stderr } = spawnSync('bash', { input, cwd: folder, env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

const states: Record<'start' | 'requested' | 'end', StoredItem[]> = { start: [], requested: [], end: [] };

beforeAll(async () => {
  for (const name of ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay'] as const) {
    environment.now = () => PEOPLE[name].at;
    await create(name);
    // The change log begins with the first user.
    await logChange(undefined, await findItem(userKey(find(name))));
  }
  environment.now = now;
  for (const name of ['ada', 'cleo', 'eve', 'fay'] as const) await createPost(name);
  run(exportAll);
  states.start = await scan();

  const write = (name: Name, request: (id: string) => Promise<unknown>) =>
    logWrite(userKey(find(name)), () => request(find(name)));
  await write('ada', (id) => bare.update(id, { name: `Ada ${wordOf('ada')}` }));
  await write('dan', (id) => bare.update(id, { plan: null, seats: 7 }));
  environment.now = () => PEOPLE.gus.at;
  await create('gus');
  environment.now = now;
  await write('gus', (id) => bare.update(id, { tags: ['new'] }));
  await write('eve', (id) => bare.remove(id));
  await write('fay', (id) => mutate('deleteUser', { id, erase: true }));
  states.requested = await scan();
  run(exportChanges);

  const completion = now() + 6 * MINUTE;
  environment.now = () => completion;
  for (let each = 0; each < 2; each++) await runJobs([erasureJob], () => true);
  states.end = await scan();
  writeExport('full', states.end);
  writeExport('changes', states.start);
  writeChanges('changes', states.start, states.requested, 1);
  writeChanges('changes', states.requested, states.end, 2);
});

type Times = { createdAt: string; updatedAt: string; version: number };
/** As DuckDB prints a time in UTC. */
const formatTime = (time: string) => time.replace('T', ' ').replace(/\.?0*Z$/, '');

async function findExpectedUsers(): Promise<Row[]> {
  const users = {
    ada: { name: 'Ada quillada', plan: 'pro', seats: 3, tags: ['a', 'b, "c"'], version: 2 },
    bob: { name: 'Sam quillbob', plan: 'free', seats: null, tags: [], version: 1 },
    cleo: { name: 'Sam quillcleo', plan: 'team', seats: null, tags: [], version: 1 },
    dan: { name: 'Sam quilldan', plan: 'free', seats: 7, tags: [], version: 2 },
    gus: { name: 'Sam quillgus', plan: 'team', seats: null, tags: ['new'], version: 2 },
  };
  return Promise.all(
    (Object.keys(users) as (keyof typeof users)[]).map(async (name) => {
      const id = find(name);
      const { user } = await fetchData<{ user: Times }>(
        'query ($id: ID!) { user(id: $id) { createdAt updatedAt version } }',
        { id },
      );
      expect(user.version).toBe(users[name].version);
      const times = { created_at: formatTime(user.createdAt), updated_at: formatTime(user.updatedAt) };
      return { id, email: `${wordOf(name)}@example.org`, ...users[name], ...times };
    }),
  );
}

const formatMonth = (date: Date) => `${date.toISOString().slice(0, 7)}-01 00:00:00`;

async function expectReports(connection: DuckDBConnection): Promise<void> {
  const [users, signUps, plans, withoutPosts] = await query(connection, reports);
  const expected = await findExpectedUsers();
  expect(users).toEqual(expected);
  expect(signUps).toEqual([
    { month: formatMonth(monthsAgo(5)), sign_ups: '1' },
    { month: formatMonth(early), sign_ups: '2' },
    { month: formatMonth(late), sign_ups: '1' },
    { month: formatMonth(TODAY), sign_ups: '1' },
  ]);
  expect(plans).toEqual([
    { plan: 'free', users: '2' },
    { plan: 'pro', users: '1' },
    { plan: 'team', users: '2' },
  ]);
  const names = ['bob', 'dan', 'gus'] as const;
  expect(withoutPosts).toEqual(names.map((name) => ({ id: find(name), email: `${wordOf(name)}@example.org` })));
}

test('DuckDB reports the users of an export to S3', async () => {
  const connection = await openDuckDB('full');
  await query(connection, duckViews);
  await expectReports(connection);
  expect((await query(connection, 'SELECT author_id, title FROM posts ORDER BY author_id'))[0]).toEqual([
    { author_id: find('ada'), title: 'On quilladas' },
    { author_id: find('cleo'), title: 'On quillcleos' },
  ]);
});

test('the check of an export counts the items of missing files', async () => {
  const connection = await openDuckDB('full');
  await query(connection, duckViews);
  expect(await query(connection, findMissing)).toEqual([[{ missing: '0' }]]);
  const [manifest = ''] = readFileSync(join(folder, 'full/export/manifest-files.json'), 'utf8').split('\n');
  const { itemCount } = JSON.parse(manifest);
  expect(itemCount).toBeGreaterThan(0);
  mkdirSync(join(folder, 'partial'));
  cpSync(join(folder, 'full/export'), join(folder, 'partial/export'), { recursive: true });
  rmSync(join(folder, 'partial/export/data/0.json.gz'));
  await query(connection, `SET file_search_path = '${join(folder, 'partial')}'`);
  expect(await query(connection, findMissing)).toEqual([[{ missing: String(itemCount) }]]);
});

test('the views for Athena give the same reports', async () => {
  const connection = await openDuckDB('full');
  await query(connection, translateAthena(athena));
  await expectReports(connection);
});

test('the paths and casts of the page read the types of own fields', async () => {
  const connection = await openDuckDB('full');
  await query(connection, duckViews);
  const columns = [
    ['$.fields.M.isStaff.BOOL', 'BOOLEAN'],
    ['$.fields.M.startedOn.S', 'DATE'],
  ].map(([path, type]) => `CAST(item->>'${path}' AS ${type}) AS ${type}`);
  const [values] = await query(connection, `SELECT ${columns} FROM items WHERE sk = 'USER' ORDER BY pk`);
  expect(values?.slice(2, 4)).toEqual([
    { BOOLEAN: true, DATE: null },
    { BOOLEAN: null, DATE: '2026-01-31' },
  ]);
});

test('a full export and incremental exports give the same reports', async () => {
  const connection = await openDuckDB('changes');
  await query(connection, duckViews);
  await query(connection, mergeChanges);
  await expectReports(connection);
});

test('DuckDB reports the users of scheduled exports', async () => {
  const connection = await openDuckDB('.');
  await query(connection, reportViews);
  const [users] = await query(connection, 'SELECT * FROM users ORDER BY id');
  expect(users).toEqual(await findExpectedUsers());
});

/** Where the items with this word are: the part of their partition key before the first #. */
const findTraces = (items: StoredItem[], name: Name) => [
  ...new Set(
    items
      .filter((item) => JSON.stringify(item).toLowerCase().includes(wordOf(name)))
      .map(({ pk }) => pk?.S?.replace(/#.*/s, '#')),
  ),
];

test('an export holds of each person what the page says', () => {
  const { start, requested, end } = states;
  const [, existing = '', deleted = ''] = readSection('What do the files hold of deleted and erased people?').split(
    /^\| (?:exists|deleted) /m,
  );
  const everywhere = ['CHANGES#', 'EMAIL#', 'LIST#', 'SEARCH#', 'UNIQUE#', 'USER#'];
  expect(findTraces(end, 'ada').toSorted()).toEqual(everywhere);
  for (const prefix of everywhere.filter((each) => each !== 'USER#')) expect(existing).toContain(`\`${prefix}\``);
  for (const name of ['eve', 'fay'] as const) {
    expect(findTraces(start, name)).toContain('USER#');
    expect(findTraces(requested, name)).toEqual(['CHANGES#']);
  }
  expect(findTraces(end, 'eve')).toEqual(['CHANGES#']);
  expect(findTraces(end, 'fay')).toEqual([]);
  const formerRecordsOf = (name: Name) =>
    end.filter(({ pk, sk }) => pk?.S?.startsWith('FORMER#') && sk?.S === find(name));
  expect(formerRecordsOf('eve')).toHaveLength(1);
  expect(deleted).toContain('`FORMER#`');
  expect(formerRecordsOf('fay')).toEqual([]);
  const deletionOf = (name: Name) => end.find(({ pk, sk }) => pk?.S === userKey(find(name)).pk && sk?.S === 'DELETED');
  expect(deletionOf('eve')).toBeDefined();
  expect(deletionOf('eve')?.expiresAt).toBeUndefined();
  expect(deletionOf('fay')?.expiresAt).toBeDefined();
});

test('the policy of the page allows its commands, and nothing else of the table', async () => {
  const policy = JSON.parse(
    (findCodeBlocks(page, 'json').find((block) => block.includes('"Statement"')) ?? '')
      .replaceAll('PARTITION', 'aws')
      .replaceAll('REGION', 'eu-west-1')
      .replaceAll('ACCOUNT', '123456789012')
      .replaceAll('TABLE', 'Users-users')
      .replaceAll('BUCKET', 'reports'),
  );
  const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/Users-users';
  const evaluate = async (action: string, resource: string) => {
    const request = {
      principal: 'arn:aws:iam::123456789012:role/analyst',
      action,
      resource: { resource, accountId: '123456789012' },
      contextVariables: {},
    };
    const identityPolicies = [{ name: 'reports', policy }];
    const none = { serviceControlPolicies: [], resourceControlPolicies: [] };
    const result = await runSimulation({ request, identityPolicies, ...none }, {});
    return result.resultType === 'error' ? result.errors : result.overallResult;
  };
  for (const [action, resource] of [
    ['dynamodb:DescribeTable', table],
    ['dynamodb:ExportTableToPointInTime', table],
    ['dynamodb:DescribeExport', `${table}/export/01780000000000-a1b2c3d4`],
    ['s3:PutObject', 'arn:aws:s3:::reports/users/AWSDynamoDB/x/data/y.json.gz'],
    ['s3:GetObject', 'arn:aws:s3:::reports/users/AWSDynamoDB/x/data/y.json.gz'],
    ['s3:ListBucket', 'arn:aws:s3:::reports'],
  ] as const)
    expect(await evaluate(action, resource), action).toBe('Allowed');
  expect(await evaluate('dynamodb:Scan', table)).not.toBe('Allowed');
});
