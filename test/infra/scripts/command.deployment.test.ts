import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'command-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [`infra/scripts/${script}.ts`, ...args], { encoding: 'utf8', input: '' });

test.each(['bill', 'token', 'map-stack', 'redrive'])('%s rejects an argument too many, and prints --help', (script) => {
  expect(run(script, 'infra', 'extra')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^No.*\nn/),
  });
  expect(run(script, '--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^npm run /) });
});

test.each([
  ['check-table', ['--table', 'one', '--table', 'two'], 'Not checked: --table is set twice: set it once'],
  ['bill', ['--rps=1', '--rps=2'], 'Not calculated: --rps is set twice: set it once'],
  ['export', ['--posts', '--posts', 'x.csv'], 'Not exported: --posts is set twice: set it once'],
  ['erase', ['--table', '', 'an-id'], 'Not erased: --table is empty: pass a value, or omit the option'],
  ['import', ['--map', '', 'package.json'], 'Not imported: --map is empty: pass a value, or omit the option'],
  [
    'import',
    ['--update', '--default', 'name=x', 'package.json'],
    'Not imported: --default cannot be used with --update: it would replace the values of existing users',
  ],
  [
    'import',
    ['--from', 'okta', '--no-header', 'package.json'],
    'Not imported: --from cannot be used with --no-header or --keep-ids: it knows the columns, and other tools have other ids',
  ],
  [
    'export',
    ['--table', 'x', '--token', 'y', 'z.csv'],
    'Not exported: --token requires a deployment, not --table or --data',
  ],
  ['export', ['--sigv4', '--token', 'y', 'z.csv'], 'Not exported: Use only one of --token and --sigv4'],
  [
    'token',
    ['--claim', 'email'],
    'No token: --claim is email; expected: a name and a value, as in email=ada@example.org',
  ],
])('%s %j is rejected in one sentence', (script, args, sentence) => {
  expect(run(script, ...args)).toMatchObject({ status: 1, stdout: '', stderr: `${sentence}\n` });
});

const PAGE_BYTES = 4096;

/** Overwrites the index of the embedded engine's tables, which the engine reads only with the first request. */
function damage(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const found = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex__tables_1'").get();
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (Number(found?.rootpage) - 1) * PAGE_BYTES);
  closeSync(descriptor);
}

test.skipIf(process.platform !== 'linux')('a damaged embedded database ends the command with what to do', () => {
  const [data, users] = [join(folder, 'damaged'), join(folder, 'users.csv')];
  writeFileSync(users, 'name,email\nAda,ada@example.com\n');
  expect(run('import', '--data', data, users).status).toBe(0);
  damage(join(data, 'users.db'));
  const script = ['infra/scripts/check-table.ts', '--data', data];
  // A running database would keep the command alive.
  const { status, stderr } = spawnSync(process.execPath, script, { encoding: 'utf8', timeout: 30_000 });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^Not checked: .*malformed\. Restore the folder from a copy, or remove users\.db/),
  });
});

test.each([
  ['access-key', '', 'the file access-key is damaged: remove it'],
  ['lock.db', 'x'.repeat(PAGE_BYTES), 'lock.db cannot be locked (file is not a database): remove it'],
])('a damaged %s in the folder of the database is named', (name, content, message) => {
  const data = mkdtempSync(join(folder, 'data-'));
  for (const file of ['users.db', name]) writeFileSync(join(data, file), file === name ? content : '');
  expect(run('check-table', '--data', data)).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
});

test('a folder where no file can be created, as on a full disk, keeps its lock file', () => {
  const data = mkdtempSync(join(folder, 'data-'));
  writeFileSync(join(data, 'users.db'), '');
  // SQLite cannot create its journal.
  mkdirSync(join(data, 'lock.db-journal'));
  const { status, stderr } = run('check-table', '--data', data);
  expect(status).toBe(1);
  expect(stderr).toContain('lock.db cannot be locked (unable to open database file): check the free space');
  expect(stderr).not.toContain('remove it');
});

test('without the AWS CLI, redrive says so', () => {
  const script = ['infra/scripts/redrive.ts', '--queue', 'https://queue', '--function', 'on-change'];
  const { status, stderr } = spawnSync(process.execPath, script, { encoding: 'utf8', env: { PATH: folder } });
  expect([status, stderr]).toEqual([1, 'Not redriven: The command aws was not found: install the AWS CLI\n']);
});

test('a stack without a source map is printed unchanged, and the missing file is named', () => {
  const stack = 'at d (file:///var/task/get-user.mjs:1:2)\n';
  const script = ['infra/scripts/map-stack.ts', folder];
  const { stdout, stderr } = spawnSync(process.execPath, script, { encoding: 'utf8', input: stack });
  expect({ stdout, stderr }).toEqual({ stdout: stack, stderr: `Source map not found: ${folder}/get-user.mjs.map\n` });
});
