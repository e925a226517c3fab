import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { checkTable } from '../../../../infra/scripts/table-consistency.ts';
import { tableSource } from '../../../../infra/scripts/transfer/table-source.ts';
import { writeRows } from '../../../../infra/scripts/transfer/write-rows.ts';
import { TableName } from '../../../../lib/dynamodb/client.ts';
import { purgePosts } from '../../../../lib/posts/purge.ts';
import { listPosts } from '../../../../lib/posts/read.ts';
import { createPost } from '../../../../lib/posts/write.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { queryUsers } from '../../../../lib/users/directory.ts';
import { getUser } from '../../../../lib/users/read.ts';
import { updateUser, writeUsers } from '../../../../lib/users/write.ts';
import { clearTable } from '../../../lib/features/page-index/fixtures.ts';
import { createUser } from '../../../setup/create-user.ts';
import { resetDatabase } from '../../../setup/database.ts';
import { startFaultProxy } from '../../../setup/proxy.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { createNumbers } from '../../../simulation/random.ts';
import { type CommandResult, importAndKill, readResults, startCommand } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(clearTable);

const USERS = 300;
const KILLS = 5;

async function fillTable(): Promise<void> {
  const at = (number: number) => new Date(Date.parse('2026-01-01') + number * 60_000).toISOString();
  const id = (number: number) => `01990f6e-${number.toString(16).padStart(4, '0')}-7d21-8b4e-5f0c9a7d1e23`;
  const users = Array.from({ length: USERS }, (_, number) => ({
    ...{ id: id(number), name: `Person ${number}`, email: `person.${number}@example.org` },
    ...{ own: {}, createdAt: at(number), updatedAt: at(number), version: 1, by: 'test' },
  }));
  await writeUsers(users.map((user) => ({ plan: () => ({ after: user }) })));
  for (const number of [3, 77, 200]) {
    await updateUser({ id: id(number), name: `Changed ${number}` }, 'test');
    for (const title of ['One', 'Two, "quoted"'])
      await createPost(
        { authorId: id(number), title, ...(title === 'One' ? { publishedAt: new Date(0) } : {}) },
        'test',
      );
  }
}

const listIds = async () => (await queryUsers(undefined, 10_000)).users.map(({ id }) => id);

async function emptyTable(): Promise<void> {
  for (const id of await listIds()) {
    await deleteUser({ id }, 'test');
    await purgePosts({ authorId: id, part: 0 });
  }
  expect(await listIds()).toEqual([]);
}

const exportTo = (file: string) => writeRows(file, tableSource.readUsers({ posts: true }), tableSource.fields);

type Exported = { version: number; updatedAt: string; posts: { version: number }[] };

const readUsers = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Exported => JSON.parse(line));

const withoutVersion = ({ version: _, updatedAt, posts, ...user }: Exported) => ({
  ...user,
  posts: posts.map(({ version: __, ...post }) => post),
});

test('exported and deleted users return with the next versions, even if their import is killed repeatedly', async () => {
  const random = createNumbers(23);
  await fillTable();
  const [before, after] = [join(folder, 'before.ndjson'), join(folder, 'after.ndjson')];
  expect(await exportTo(before)).toEqual({ users: USERS, leftOut: 0 });
  await emptyTable();

  const args = ['--table', TableName, '--keep-ids', '--keep-times', before];
  for (let kill = 0; kill < KILLS; kill++) {
    const killAt = 2 + Math.floor(random() * 6);
    expect(await importAndKill(args, killAt, random() < 0.5)).toBe(null);
  }
  const { code, output, errors } = await startCommand('import', args).ended;
  expect({ code, errors }).toMatchObject({ code: 0 });
  expect(output).toContain(`${USERS} rows`);

  expect(readResults(before).map(({ line }) => line)).toEqual(Array.from({ length: USERS }, (_, at) => at + 1));
  await exportTo(after);
  const [exported, returned] = [readUsers(before), readUsers(after)];
  expect(returned.map(withoutVersion)).toEqual(exported.map(withoutVersion));
  expect(returned.map(({ version }) => version)).toEqual(exported.map(({ version }) => version + 2));
  for (const [at, { posts }] of returned.entries())
    for (const [index, { version }] of posts.entries())
      expect(version).toBeGreaterThan(exported[at]?.posts[index]?.version ?? 0);
  const written = await Promise.all((await listIds()).map((id) => Promise.all([getUser({ id }), listPosts(id, {})])));
  expect(new Set(written.flat(2).map(({ by }) => by))).toEqual(new Set(['system']));
  const { users, indexed, found } = await checkTable();
  expect({ users, indexed, found }).toEqual({ users: USERS, indexed: USERS, found: {} });
});

test('a killed import that keeps times creates each user once, even if users changed meanwhile', async () => {
  const random = createNumbers(64);
  const file = join(folder, 'timed.csv');
  // Not in the order of time.
  const at = (number: number) => new Date(Date.parse('2019-01-01') + ((number * 37) % 200) * 3_600_000).toISOString();
  const rows = Array.from({ length: 200 }, (_, number) => `Ada,timed.${number}@example.org,${at(number)}`);
  writeFileSync(file, `name,email,createdAt\n${rows.join('\n')}\n`);
  const args = ['--table', TableName, '--keep-times', file];
  let changed = 0;
  for (let kill = 0; kill < 3; kill++) {
    expect(await importAndKill(args, 3 + Math.floor(random() * 4), kill === 0)).toBe(null);
    for (const id of (await listIds()).slice(changed))
      await updateUser({ id, email: `changed.${changed++}@example.org` }, 'test');
  }
  expect(changed).toBeGreaterThan(0);
  expect((await startCommand('import', args).ended).code).toBe(0);
  expect(readResults(file).every(({ result }) => result === 'created')).toBe(true);
  const ids = await listIds();
  expect(ids).toEqual(
    readResults(file)
      .map((result) => ('id' in result ? result.id : ''))
      .toSorted(),
  );
  const users = await Promise.all(ids.map((id) => getUser({ id })));
  expect(users.map(({ createdAt }) => createdAt)).toEqual(rows.map((_, number) => at(number)).toSorted());
  expect(await checkTable()).toMatchObject({ users: 200, found: {} });
});

test('an import that is killed and restarted without results creates each user and post once', async () => {
  const random = createNumbers(24);
  const file = join(folder, 'new.ndjson');
  const posts = [{ title: 'One' }, { title: 'Two', publishedAt: '2026-01-01T00:00:00.000Z' }];
  async function* people() {
    for (let number = 0; number < 200; number++)
      yield {
        name: `Person ${number}`,
        email: `person.${number}@example.org`,
        ...(number % 50 === 0 ? { posts } : {}),
      };
  }
  await writeRows(file, people() as never, []); // Rows from another service have no ids and times.
  const args = ['--table', TableName, file];
  for (let kill = 0; kill < 2; kill++) {
    expect(await importAndKill(args, 3 + Math.floor(random() * 4), kill === 0)).toBe(null);
    rmSync(`${file}.results.ndjson`);
  }
  const { code } = await startCommand('import', args).ended;
  expect(code).toBe(0);
  const exported = await Array.fromAsync(tableSource.readUsers({ posts: true }));
  expect(exported.map(({ email }) => email).toSorted()).toEqual(
    Array.from({ length: 200 }, (_, number) => `person.${number}@example.org`).toSorted(),
  );
  expect(exported.flatMap(({ posts = [] }) => posts.map(({ title }) => title)).toSorted()).toEqual(
    [0, 50, 100, 150].flatMap(() => ['One', 'Two']).toSorted(),
  );
  expect((await checkTable()).found).toEqual({});
});

const CSV = [
  'name,email',
  ...Array.from({ length: USERS }, (_, number) => `Person ${number},person.${number}@example.org`),
].join('\n');

/** Imports into the table until Ctrl-C. */
async function stopImport(name: string): Promise<{ file: string; args: string[] }> {
  const file = join(folder, name);
  writeFileSync(file, CSV);
  const args = ['--table', TableName, file];
  const { code, errors } = await importAndStop(args);
  expect({ code, errors }).toEqual({ code: 130, errors: expect.stringContaining('The same command continues') });
  return { file, args };
}

async function importAndStop(args: string[]): Promise<CommandResult> {
  let interrupt = () => {};
  let writes = 0;
  const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => {
    // Interrupts at the third request, because the first two describe the table and check the clock.
    if (++writes === 3) interrupt();
    return undefined;
  });
  try {
    const command = startCommand('import', args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
    interrupt = () => command.process.kill('SIGINT');
    return await command.ended;
  } finally {
    await proxy.stop();
  }
}

test('after Ctrl-C, the import writes results of current requests, and the same command continues after them', async () => {
  const { file, args } = await stopImport('stopped.csv');
  const done = readResults(file);
  expect(done.length).toBeLessThan(USERS);
  // Each written user has a result, so the next run does not import it again.
  expect((await listIds()).toSorted()).toEqual(done.map((row) => 'id' in row && row.id).toSorted());

  expect((await startCommand('import', args).ended).code).toBe(0);
  expect(readResults(file)).toHaveLength(USERS);
  expect(await listIds()).toHaveLength(USERS);
});

test('a stopped import does not continue in another table of the same name, but starts over with --force', async () => {
  const { args } = await stopImport('another-table.csv');
  await resetDatabase();
  expect(await startCommand('import', args).ended).toMatchObject({
    code: 1,
    errors: expect.stringContaining('continues with the same command, file and table'),
  });
  expect((await startCommand('import', [...args, '--force']).ended).code).toBe(0);
  expect(await listIds()).toHaveLength(USERS);
});

test('a stopped import from a pipe cannot continue, and does not say so', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writing = writeFile(pipe, CSV);
  const { code, errors } = await importAndStop(['--table', TableName, pipe]);
  await writing;
  expect({ code, errors }).toEqual({ code: 130, errors: expect.stringMatching(/Lines up to \d+ have results\.\n$/) });
});

test('Ctrl-C stops an export, which leaves no file', async () => {
  await fillTable();
  const file = join(folder, 'stopped-export.ndjson');
  let interrupt = () => {};
  const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', () => {
    interrupt();
    return undefined;
  });
  try {
    const args = ['--table', TableName, '--posts', file];
    const command = startCommand('export', args, { AWS_ENDPOINT_URL_DYNAMODB: proxy.url });
    interrupt = () => {
      interrupt = () => {};
      command.process.kill('SIGINT');
    };
    // On a busy machine, the export prints its progress, too.
    const message = `Not exported: Stopped. ${file} was not written\n`;
    expect(await command.ended).toMatchObject({ code: 1, errors: expect.stringContaining(message) });
  } finally {
    await proxy.stop();
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('stopped-export'))).toEqual([]);
});

test('an export of one person accepts the id in upper case', async () => {
  const { id } = await createUser(newPerson());
  const { output } = await startCommand('export', ['--table', TableName, '--user', id.toUpperCase()]).ended;
  expect(JSON.parse(output)).toMatchObject({ user: { id } });
});

test('an export into a pipe that closes early ends without a message', async () => {
  await fillTable();
  const command = `"${process.execPath}" infra/scripts/export.ts --table ${TableName} --posts - | true`;
  // On a busy machine, the export prints its progress.
  const progress = expect.stringMatching(/^([\d,]+ rows, [\d,]+ a second\n)*$/);
  expect(await promisify(execFile)('sh', ['-c', command])).toEqual({ stdout: '', stderr: progress });
});

test('an import into a table that does not exist says so, and leaves no file', async () => {
  const file = join(folder, 'no-table.csv');
  writeFileSync(file, 'name,email\nAda,ada@example.com\n');
  expect(await startCommand('import', ['--table', 'missing', file]).ended).toMatchObject({
    code: 1,
    errors:
      'Not imported: Table missing not found: check its name, and the account and region (AWS_PROFILE, AWS_REGION)\n',
  });
  expect(readdirSync(folder).filter((name) => name.startsWith('no-table'))).toEqual(['no-table.csv']);
});
