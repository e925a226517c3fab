import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { findItem } from '../../lib/on-change/log-write.ts';
import { createUser } from '../../setup/create-user.ts';
import { copySources, writeEnvironments } from '../../setup/sources.ts';
import { newPerson } from '../../setup/test-data.ts';

const folder = mkdtempSync(join(tmpdir(), 'purge-field-'));
afterAll(() => rmSync(folder, { recursive: true }));

const script = join(process.cwd(), 'infra/scripts/purge-field.ts');
const purge = (args: string[], env = process.env) =>
  spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });

const noFields = join(folder, 'no-fields.json');
writeFileSync(noFields, '{}');

test('the command counts the values of an undeclared field, then deletes them', async () => {
  const { id } = await createUser(newPerson());
  await table.send(
    new UpdateCommand({
      TableName,
      Key: userKey(id),
      UpdateExpression: 'SET #fields = :fields',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: { ':fields': { motto: 'onwards' } },
    }),
  );
  const args = ['motto', '--table', TableName, '--fields', noFields];
  const dryRun = purge([...args, '--dry-run']);
  expect([dryRun.stderr, dryRun.stdout]).toEqual([
    '',
    expect.stringContaining('Found: values of motto of 1 users, and 0 claims'),
  ]);
  expect(dryRun.stdout).toMatch(`Declared in ${noFields}: no fields\n`);
  expect(await findItem(userKey(id))).toMatchObject({ fields: { motto: 'onwards' } });
  const { status, stdout } = purge(args);
  expect([status, stdout]).toEqual([0, expect.stringContaining('Deleted: values of motto of 1 users, and 0 claims')]);
  expect(await findItem(userKey(id))).toMatchObject({ fields: {}, version: 2, by: 'system' });
});

test('a field of the file of --fields is not purged', () => {
  const fields = join(folder, 'fields.json');
  writeFileSync(fields, JSON.stringify({ motto: { type: 'string' } }));
  const { status, stderr } = purge(['motto', '--table', TableName, '--fields', fields]);
  expect([status, stderr]).toEqual([1, expect.stringContaining('Not purged: The field motto is still declared')]);
});

test('without --fields, the environment must be named, because the table could be of another one', () => {
  const args = ['motto', '--table', TableName, '--dry-run'];
  const { status, stderr } = purge(args);
  expect([status, stderr]).toEqual([1, expect.stringContaining('or name its environment')]);
  expect(purge(args, { ...process.env, ENVIRONMENT: 'default' })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Declared in the environment default: no fields\n/),
  });
});

test('an environment without fields must name a file, because every field would seem to be undeclared', () => {
  const sources = copySources();
  onTestFinished(() => rmSync(sources, { recursive: true }));
  writeEnvironments(sources, { default: {} });
  const args = [join(sources, 'infra/scripts/purge-field.ts'), 'motto', '--table', TableName];
  const env = { ...process.env, ENVIRONMENT: 'default' };
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: sources, env });
  expect([status, stderr]).toEqual([1, expect.stringContaining('with --fields, {} if there are none')]);
});

test.each([
  ['a name', ['--table', 'users'], 'Pass the name of one field'],
  ['a table', ['motto'], 'This command requires a table: pass --table or --data'],
  [
    'a database in the folder',
    ['motto', '--data', join(folder, 'mistyped'), '--fields', noFields],
    'mistyped contains no database',
  ],
])('without %s the command says so', (_, args, message) => {
  expect(purge(args).stderr).toContain(message);
  expect(existsSync(join(folder, 'mistyped'))).toBe(false);
});
