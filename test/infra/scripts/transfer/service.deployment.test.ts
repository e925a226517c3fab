import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';
import { startFaultProxy } from '../../../setup/proxy.ts';
import { IGNORE_TIMES, readResults, startCommand } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
let service: LocalService;
let client: Client<{ nickname?: string; seat?: number }>;
beforeAll(async () => {
  service = await startLocalService(['--memory', '--fields', 'test/setup/own-fields.json']);
  client = createClient({ baseUrl: service.url, fields: ['nickname', 'seat'] });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

const run = (script: 'import' | 'export', ...args: string[]) =>
  startCommand(script, ['--url', service.url, ...args]).ended;

const CSV = `Name,E-Mail,nickname,seat,score,isStaff,birthday,tags
Ada,ada@example.org,countess,1,99.5,TRUE,1815-12-10,"[""math"",""a|b""]"
Grace,grace@example.org,amazing,2,,false,,navy|math
Twin,twin@example.org,Countess,3,,,,
Low,low@example.org,low,0,,,,
Text,text@example.org,text,four,,,,
Taken,taken@example.org,taken,5,,,,
`;

const CREATE_TAKEN =
  'mutation { createUser(input: { name: "Nick", email: "nick@example.org", nickname: "Taken" }) { user { name } } }';

test('rows are created through the API with own fields, and rejections name row and column', async () => {
  const taken = await client.graphql(CREATE_TAKEN);
  expect(taken).toMatchObject({ createUser: { user: { name: 'Nick' } } });
  const file = join(folder, 'users.csv');
  writeFileSync(file, CSV);
  const first = await run('import', '--map', 'email=E-Mail', file);
  expect(first).toMatchObject({ code: 1, output: expect.stringContaining('6 rows') });
  const results = readResults(file);
  expect(results).toMatchObject([
    { line: 2, result: 'created' },
    { line: 3, result: 'created' },
    { line: 4, result: 'invalid', issues: [{ column: 'nickname', message: 'is the nickname of line 2, too' }] },
    { line: 5, result: 'invalid', issues: [{ column: 'seat', message: 'must be at least 1' }] },
    { line: 6, result: 'invalid', issues: [{ column: 'seat', message: 'must be a number' }] },
    { line: 7, result: 'invalid', issues: [{ column: 'nickname', message: 'Another user has this nickname' }] },
  ]);
  const users = await Array.fromAsync(client.users.list());
  expect(users).toMatchObject([
    { name: 'Nick' },
    {
      name: 'Ada',
      nickname: 'countess',
      seat: 1,
      score: 99.5,
      isStaff: true,
      birthday: '1815-12-10',
      tags: ['math', 'a|b'],
    },
    { name: 'Grace', nickname: 'amazing', seat: 2, isStaff: false, tags: ['navy', 'math'] },
  ]);

  // The service still remembers the first import's idempotency keys.
  const [, ada, grace] = users;
  await client.users.update(ada?.id ?? '', { name: 'Augusta' });
  await client.users.update(grace?.id ?? '', { email: 'hopper@example.org', nickname: null, seat: 9 });
  await run('import', '--force', '--map', 'email=E-Mail', file);
  const created = await client.users.find({ email: 'grace@example.org' });
  expect(readResults(file)).toEqual([
    { line: 2, result: 'exists', id: ada?.id },
    { line: 3, result: 'created', id: created?.id },
    ...results.slice(2),
  ]);
  expect(created).toMatchObject({ name: 'Grace', nickname: 'amazing', seat: 2 });

  await client.users.update(created?.id ?? '', { name: 'Hopper' });
  await run('import', '--force', '--update', '--map', 'email=E-Mail', file);
  expect(readResults(file)).toEqual([
    { line: 2, result: 'updated', id: ada?.id },
    { line: 3, result: 'updated', id: created?.id },
    ...results.slice(2),
  ]);
  expect(await client.users.get(ada?.id ?? '')).toMatchObject({ name: 'Ada' });
  expect(await client.users.get(created?.id ?? '')).toMatchObject({ name: 'Grace' });
});

test('--update changes existing users by address, and leaves equal ones unchanged', async () => {
  const same = await client.users.create({ name: 'Same', email: 'same@example.org' });
  const other = await client.users.create({ name: 'Other', email: 'other@example.org' });
  const file = join(folder, 'update.ndjson');
  const posts = [{ title: 'One' }, { title: 'Two', publishedAt: '2026-01-01T00:00:00.000Z' }];
  const rows = [
    { name: 'Same', email: 'same@example.org' },
    { name: 'Changed', email: 'Other@example.org', nickname: 'other' },
    { name: 'Author', email: 'author@example.org', posts },
  ];
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
  expect(await run('import', '--update', file)).toMatchObject({ code: 0 });
  const [, , created] = readResults(file);
  expect(readResults(file)).toMatchObject([
    { line: 1, result: 'unchanged', id: same.id },
    { line: 2, result: 'updated', id: other.id },
    { line: 3, result: 'created' },
  ]);
  expect(await client.users.get(other.id)).toMatchObject({ name: 'Changed', nickname: 'other', version: 2 });
  const author = created && 'id' in created ? created.id : '';
  expect(await Array.fromAsync(client.posts.list(author))).toMatchObject([
    { title: 'One', publishedAt: null },
    { title: 'Two', publishedAt: '2026-01-01T00:00:00.000Z' },
  ]);

  const exported = join(folder, 'all.ndjson');
  expect(await run('export', '--posts', exported)).toMatchObject({
    code: 0,
    errors: expect.stringContaining('users in'),
  });
  const users = readFileSync(exported, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const listed = await Array.fromAsync(client.users.list());
  expect(users.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
  expect(users).toMatchObject(listed);
  expect(users.at(-1).posts).toMatchObject([{ title: 'One' }, { title: 'Two' }]);
});

const readLines = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('export --since', () => {
  test('contains each changed user once in the current state, and deleted users in a separate file', async () => {
    await client.users.create({ name: 'Before', email: 'before@example.org' });
    const since = new Date();
    const [changed, deleted] = [
      await client.users.create({ name: 'Changed', email: 'changed@example.org', nickname: 'since' }),
      await client.users.create({ name: 'Deleted', email: 'deleted@example.org' }),
    ];
    const created = await client.users.create({ name: 'Created', email: 'created@example.org' });
    await client.posts.create({ authorId: changed.id, title: 'One' });
    const { version } = await client.users.update(changed, { name: 'Changed twice' });
    await client.users.delete(deleted);
    await expect.poll(() => Array.fromAsync(client.users.changesSince(since))).toHaveLength(5);

    const file = join(folder, 'since.ndjson');
    const first = await run('export', '--since', since.toISOString(), '--posts', file);
    expect(first).toMatchObject({ code: 0, errors: expect.stringContaining('2 users in') });
    expect(first.errors).toContain(`1 deleted users in ${file}.deletions.ndjson`);
    expect(readLines(file)).toMatchObject([
      { id: created.id, name: 'Created', version: 1, posts: [] },
      { id: changed.id, name: 'Changed twice', nickname: 'since', version, posts: [{ title: 'One' }] },
    ]);
    expect(readLines(`${file}.deletions.ndjson`)).toEqual([{ id: deleted.id, deletedAt: expect.any(String) }]);

    // Both users of the file exist.
    expect(await run('import', '--update', ...IGNORE_TIMES, file)).toMatchObject({ code: 0 });
    expect(readResults(file)).toMatchObject([{ result: 'unchanged' }, { result: 'unchanged' }]);

    const [, cursor = ''] = /--since (\S+)/.exec(first.errors) ?? [];
    await client.users.update(created.id, { name: 'Later' });
    await expect.poll(() => Array.fromAsync(client.users.changesSince(cursor))).toHaveLength(1);
    const csv = join(folder, 'since.csv');
    expect(await run('export', '--since', cursor, csv)).toMatchObject({ code: 0 });
    expect(readFileSync(csv, 'utf8')).toMatch(new RegExp(`^id,name.*\\r?\\n${created.id},Later,[^\\n]*\\n$`));
    expect(readLines(`${csv}.deletions.ndjson`)).toEqual([]);
  });

  test.each([
    [['--since', '2020-01-01', 'old.ndjson'], /^Not exported: --since is too early: the change log reaches back to 2/m],
    [['--since', '2962-01-01', 'old.ndjson'], /^Not exported: --since is in the future: the service's time is 2/m],
    [['--since', 'yesterday', 'old.ndjson'], /must be a cursor of these changes, or a time in ISO 8601/],
    [['--since', '2020-99-01', 'old.ndjson'], /is not a valid time: write it as 2026-01-31T12:00:00Z or /],
    [['--since', '2026-11-31', 'old.ndjson'], /--since 2026-11-31 is not a valid time/],
    [['--since', '2020-01-01T12:00', 'old.ndjson'], /is not a valid time/],
    [['--since', '2020-01-01', '-'], /Set --deletions to a file for deleted users/],
    [['--deletions', 'x.ndjson', 'old.ndjson'], /--deletions requires --since/],
    [['--since', '2020-01-01', '--deletions', 'old.ndjson', 'old.ndjson'], /--deletions requires a file of its own/],
    [['--since', '2020-01-01', '--deletions', '-', 'old.ndjson'], /--deletions requires a file of its own/],
  ])('%j is rejected with what to do', async (args, message) => {
    const result = await run('export', ...args.map((arg) => (arg === 'old.ndjson' ? join(folder, arg) : arg)));
    expect(result).toMatchObject({ code: 1, errors: expect.stringMatching(message) });
    expect(readdirSync(folder).filter((name) => name.startsWith('old.ndjson'))).toEqual([]);
  });

  test('neither file is replaced without --force', async () => {
    const file = join(folder, 'there.ndjson');
    writeFileSync(`${file}.deletions.ndjson`, 'mine');
    const result = await run('export', '--since', new Date().toISOString(), file);
    expect(result).toMatchObject({ code: 1, errors: expect.stringContaining('deletions.ndjson already exists') });
    expect(readFileSync(`${file}.deletions.ndjson`, 'utf8')).toBe('mine');
  });
});

const LIMITED = `name,email,plan,memberNumber,age,score,nickname,tags,phone,birthday
Ada,limit.0@example.org,pro,AB-0042,36,99.5,short,one|two,+49 170,1815-12-10
Ada,limit.1@example.org,gold,,,,,,,
Ada,limit.2@example.org,,ab-42,,,,,,
Ada,limit.3@example.org,,,151,,,,,
Ada,limit.4@example.org,,,,100.5,,,,
Ada,limit.5@example.org,,,,,${'x'.repeat(31)},,,
Ada,limit.6@example.org,,,,,,1|2|3|4|5|6,,
Ada,limit.7@example.org,,,,,,${'x'.repeat(21)},,
Ada,limit.8@example.org,,,,,,,${'x'.repeat(21)},
Ada,limit.9@example.org,,,,,,,,1815-02-30
`;

test('a dry run rejects what the service rejects, by the limits of its OpenAPI document', async () => {
  const file = join(folder, 'limited.csv');
  writeFileSync(file, LIMITED);
  expect(await run('import', '--dry-run', file)).toMatchObject({ code: 1, errors: '' });
  const checked = readResults(file);
  expect(checked.map(({ result }) => result)).toEqual(['valid', ...Array.from({ length: 9 }, () => 'invalid')]);
  // The document cannot be loaded, so only the service knows the limits of fields.
  const elsewhere = ['--url', `${service.url}/elsewhere`, '--graphql-url', `${service.url}/graphql`];
  const unknown = await startCommand('import', [...elsewhere, '--dry-run', file]).ended;
  expect(unknown.errors).toContain('Unchecked limits: nickname, memberNumber, plan,');
  expect(readResults(file)).toMatchObject([
    { line: 2, result: 'valid', unchecked: expect.arrayContaining(['plan', 'age', 'tags']) },
    { line: 3, result: 'valid', unchecked: ['plan'] },
    ...checked.slice(2, -1).map(({ line }) => ({ line, result: 'valid' })),
    { line: 11, result: 'invalid' },
  ]);
  await startCommand('import', [...elsewhere, file]).ended;
  expect(readResults(file).slice(1)).toEqual(checked.slice(1));
});

test('an export replaces a file only with --force', async () => {
  const file = join(folder, 'exported.csv.d', 'users.ndjson');
  mkdirSync(dirname(file));
  expect(await run('export', '--posts', file)).toMatchObject({ code: 0 });
  writeFileSync(file, 'precious');
  expect(await run('export', '--posts', file)).toMatchObject({
    code: 1,
    errors: `Not exported: ${file} already exists. Pass another file, or replace it with --force\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('precious');
  expect(await run('export', '--posts', '--force', file)).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toContain('"posts":');
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, 'precious');
  const source = join(folder, 'few.csv');
  writeFileSync(source, 'name,email\nFew,few@example.org\n');
  expect(await run('import', '--results', notes, source)).toMatchObject({
    code: 1,
    errors: `Not imported: ${notes} exists and does not contain import results. Pass another file with --results\n`,
  });
  expect(readFileSync(notes, 'utf8')).toBe('precious');
});

test('--user prints all data about a person, including changes', async () => {
  const user = await client.users.create({ name: 'Ada King', email: 'king@example.org' });
  await client.users.update(user, { name: 'Ada Lovelace' });
  await client.posts.create({ authorId: user.id, title: 'On the Analytical Engine' });
  const { code, output } = await run('export', '--user', user.id);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    user: { id: user.id, name: 'Ada Lovelace', email: 'king@example.org', version: 2 },
    posts: [{ title: 'On the Analytical Engine' }],
    changes: [
      { kind: 'CREATED', by: 'anonymous', version: 1, after: { name: 'Ada King' } },
      { kind: 'UPDATED', by: 'anonymous', before: { name: 'Ada King' }, after: { name: 'Ada Lovelace' } },
    ],
    postChanges: [{ kind: 'CREATED', by: 'anonymous', post: { title: 'On the Analytical Engine' } }],
  });
  const unknown = await run('export', '--user', '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23');
  expect(unknown).toMatchObject({ code: 1, errors: expect.stringContaining('There is no data about') });
});

test('a command never overwrites a file that it reads', async () => {
  const file = join(folder, 'kept.csv');
  writeFileSync(file, CSV);
  for (const results of [file, `${folder}/./kept.csv`])
    expect(await run('import', '--results', results, file)).toMatchObject({
      code: 1,
      errors: `Not imported: ${results} would be overwritten, but is also the input ${file}: pass another output file\n`,
    });
  expect(await startCommand('export', ['--table', 'users', '--fields', file, file]).ended).toMatchObject({
    code: 1,
    errors: `Not exported: ${file} would be overwritten, but is also the input ${file}: pass another output file\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe(CSV);
});

test.each([
  [['--keep-ids', 'package.json'], '--keep-ids requires a table'],
  [['--keep-times', 'package.json'], '--keep-times requires a table'],
  [['--results', '-', 'package.json'], '--results requires a file'],
  [['no-such-file.csv'], 'File not found: no-such-file.csv'],
  [['infra'], 'infra is a folder: pass a file'],
  [['package.json', 'tsconfig.json'], 'Pass one file.'],
  [['--results', 'missing/results.ndjson', 'package.json'], 'No file can be created in missing (ENOENT'],
  [['--map', 'email', 'package.json'], '--map must be FIELD=COLUMN'],
  [['--map', 'name=x', '--map', 'email=x', 'package.json'], '--map and --ignore name the column x twice'],
  [['--map', 'name=x', '--ignore', 'x', 'package.json'], '--map and --ignore name the column x twice'],
  [['--table', 'users', 'package.json'], 'Use only one of'],
  [['--delimiter', ';;', 'package.json'], '--delimiter must be one character, or tab'],
])('a wrong command is rejected with a sentence: %j', async (args, message) => {
  const { code, errors } = await run('import', ...args);
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(message) });
});

test.each(['--map', '--ignore'])('%s of a member that no row has stops before the first row', async (option) => {
  const file = join(folder, `misspelled${option}.ndjson`);
  writeFileSync(file, JSON.stringify({ name: 'Misspelled', email: 'misspelled@example.org', Nick: 'missed' }));
  const value = option === '--map' ? 'nickname=nick' : 'nick';
  const { code, output, errors } = await run('import', option, value, file);
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^0 rows in .*: none\n$/) });
  expect(errors).toMatch(/^Not imported: No row has a member named "nick"\. Set the column of a field with --map/);
  expect(existsSync(`${file}.results.ndjson`)).toBe(false);
  expect(await client.users.find({ email: 'misspelled@example.org' })).toBeUndefined();
});

test('a column with times stops an import by the APIs before the first row, and names the options', async () => {
  const file = join(folder, 'times.csv');
  writeFileSync(
    file,
    'id,name,email,createdAt,version\n01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23,Timed,timed@example.org,2019-05-01T12:00:00Z,2\n',
  );
  const { code, errors } = await run('import', file);
  expect({ code, errors }).toEqual({
    code: 1,
    errors:
      'Not imported: The file has "createdAt", "version", not stored by the APIs: use --table --keep-times, or --ignore createdAt --ignore version\n',
  });
  expect(await client.users.find({ email: 'timed@example.org' })).toBeUndefined();
  const kept = await startCommand('import', ['--data', join(folder, 'none'), '--dry-run', file]).ended;
  expect(kept.errors).toContain('not stored without --keep-times: use it, or --ignore createdAt --ignore version\n');
  expect(await run('import', '--ignore', 'createdAt', '--ignore', 'version', file)).toMatchObject({
    code: 0,
    errors: expect.stringContaining('new users get new ids'),
  });
  expect(await client.users.find({ email: 'timed@example.org' })).toMatchObject({ name: 'Timed', version: 1 });
});

test('--missing report lists the users who are not in the file, and deletes none', async () => {
  const people = ['Kept@example.org', 'ignored-case@example.org', 'missing.1@example.org', 'missing.2@example.org'];
  const users = await Promise.all(people.map((email) => client.users.create({ name: 'Known', email })));
  const before = await Array.fromAsync(client.users.list(), ({ id }) => id);
  const others = new Set((await Array.fromAsync(client.users.list())).map(({ email }) => email));
  const listed = [...others].filter((email) => !email.startsWith('missing.'));
  const file = join(folder, 'known.csv');
  const write = (emails: string[]) =>
    writeFileSync(file, ['name,email', ...emails.map((email) => `Known,${email.toUpperCase()}`)].join('\n'));
  write(listed);
  const { code, output } = await run('import', '--missing', 'report', '--dry-run', file);
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('\n2 users of http') });
  expect(readLines(join(folder, 'known.csv.missing.ndjson'))).toMatchObject(
    users.slice(2).map(({ id, email }) => ({ id, email })),
  );
  expect(await Array.fromAsync(client.users.list(), ({ id }) => id)).toEqual(before);
  // The address of an invalid row is unknown, so its user would be reported.
  rmSync(join(folder, 'known.csv.missing.ndjson'));
  for (const [emails, message] of [
    [['not an address'], '1 rows have no valid email'],
    [[], 'the file has no rows'],
  ] as const) {
    write([...emails]);
    expect(await run('import', '--missing', 'report', '--dry-run', file)).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`No report of missing users: ${message}`),
    });
    expect(existsSync(join(folder, 'known.csv.missing.ndjson'))).toBe(false);
  }
  expect(await run('import', '--missing', 'delete', file)).toMatchObject({ code: 1 });
});

test('a URL that is not of the service is named, with what to do', async () => {
  const exportFrom = async (...args: string[]) =>
    (await startCommand('export', [...args, join(folder, 'unreachable.csv')]).ended).errors;
  expect(await exportFrom('--url', 'localhost:3000')).toBe(
    'Not exported: --url is localhost:3000; expected: an http or https URL, such as http://localhost:3000\n',
  );
  expect(await exportFrom('--url', 'http://127.0.0.1:9')).toMatch(
    /^Not exported: http:\/\/127\.0\.0\.1:9: The service cannot be reached: .*\(bad port\)\. Start it, .* with --url$/m,
  );
  expect(await exportFrom('--url', `${service.url}/v1/users`)).toContain('without a path');
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'after %s before the first result, the same command continues and adds the missing posts',
  async (signal) => {
    const file = join(folder, `${signal}.ndjson`);
    const email = `stopped.by.${signal}@example.org`;
    const posts = [{ title: 'One' }];
    writeFileSync(file, JSON.stringify({ name: 'Author', email, posts }));
    let interrupt: (() => void) | undefined;
    const proxy = await startFaultProxy(`${service.url}/graphql`, (_, body) => {
      if (!interrupt || !body.includes('createPost')) return undefined;
      interrupt();
      return 'loseRequest';
    });
    const start = () => startCommand('import', ['--url', service.url, '--graphql-url', proxy.url, file]);
    try {
      const first = start();
      interrupt = () => first.process.kill(signal);
      expect(await first.ended).toMatchObject({
        code: 130,
        output: expect.stringMatching(/^0 rows in .*: none$/m),
        errors: expect.stringContaining('The same command continues after them.'),
      });
      interrupt = undefined;
      expect(await start().ended).toMatchObject({ code: 0 });
    } finally {
      await proxy.stop();
    }
    const user = await client.users.find({ email });
    expect(readResults(file)).toEqual([{ line: 1, result: 'created', id: user?.id }]);
    expect(await Array.fromAsync(client.posts.list(user?.id ?? ''))).toMatchObject(posts);
  },
);

test('results that the disk cannot hold stop the command', async () => {
  const file = join(folder, 'many.csv');
  const rows = Array.from({ length: 100 }, (_, at) => `User,user.${at}@example.com`);
  writeFileSync(file, ['name,email', ...rows].join('\n'));
  // The limit, 1 kB per file, has the effect of a full disk: a part is written.
  const command = 'ulimit -f 1; exec "$@"';
  const args = [process.execPath, 'infra/scripts/import.ts', '--url', service.url, '--dry-run', file];
  const { status, stderr } = spawnSync('bash', ['-c', command, 'bash', ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('EFBIG') });
});

test('a dry run into a folder creates no database', async () => {
  const unused = join(folder, 'unused');
  const file = join(folder, 'checked.csv');
  writeFileSync(file, 'name,email\nAda,ada@example.com\n');
  const { code, output } = await startCommand('import', ['--data', unused, '--dry-run', file]).ended;
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('1 valid') });
  expect(existsSync(unused)).toBe(false);
});

test('an export of a folder without a database fails', async () => {
  const mistyped = join(folder, 'mistyped');
  const file = join(folder, 'empty.csv');
  expect(await startCommand('export', ['--data', mistyped, file]).ended).toMatchObject({
    code: 1,
    errors: `Not exported: ${mistyped} contains no database: pass the folder of npm start, such as .data\n`,
  });
  expect([mistyped, file].map((path) => existsSync(path))).toEqual([false, false]);
});

test.each([
  [['person.json'], '--user prints to standard output: redirect it, as in --user ID > person.json'],
  [['--posts'], '--posts cannot be combined with --user'],
  [['--filter', 'plan=pro'], '--filter cannot be combined with --user'],
  [['--since', '2026-01-31'], '--since cannot be combined with --user'],
])('an export of one person rejects %j', async (args, message) => {
  const { code, errors } = await run('export', '--user', '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23', ...args);
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(message) });
});

test('an import from another tool prints its mapping before it writes, and counts rows without an address', async () => {
  const file = join(folder, 'mailchimp.csv');
  writeFileSync(
    file,
    'Email Address,First Name,Last Name,Job,TAGS\nmia@example.org,Mia,May,Chef,"""vip"",""news"""\n,No,Address,,\nx@example.org,,,,\n',
  );
  const args = ['--from', 'mailchimp', '--map', 'nickname=Job', '--default', 'name=Unknown'];
  const none = await run('import', '--from', 'mailchimp', '--map', 'nickname=Jobs', file);
  expect(none).toMatchObject({ code: 1, errors: expect.stringContaining('No row has a member named "Jobs"') });
  const { output, errors } = await run('import', ...args, file);
  expect(errors).toContain('  tags ← TAGS\n  nickname ← Job\nLeft out:\n');
  expect(output).toContain('3 rows in');
  expect(output).toContain(': 2 created, 1 invalid; 1 without an email address\n');
  expect(await client.users.find({ email: 'mia@example.org' })).toMatchObject({ name: 'Mia May', nickname: 'Chef' });
  expect(await client.users.find({ email: 'x@example.org' })).toMatchObject({ name: 'Unknown' });
});
