import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../../../lib/client/client.ts';
import { startLocalService } from '../../../setup/local-service.ts';
import { startCommand } from './import-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'sync-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [data, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')];
const [all, changed] = [join(folder, 'all.ndjson'), join(folder, 'changed.ndjson')];
const deletions = `${changed}.deletions.ndjson`;

const KEEP = ['--keep-ids', '--keep-times'];

const importChanged = (...options: string[]) =>
  startCommand('import', ['--data', elsewhere, ...KEEP, '--update', '--force', ...options, changed]).ended;

async function listElsewhere(): Promise<[id: string, email: string][]> {
  const service = await startLocalService(['--data', elsewhere]);
  const users = await Array.fromAsync(createClient({ baseUrl: service.url }).users.list());
  await service.stop();
  return users.map(({ id, email }) => [id, email]);
}

test('an import of changes first deletes users, so that others can have their addresses', async () => {
  const service = await startLocalService(['--data', data]);
  const { users } = createClient({ baseUrl: service.url });
  const [ada, bob, eve] = [
    await users.create({ name: 'Ada', email: 'ada@example.org' }),
    await users.create({ name: 'Bob', email: 'bob@example.org' }),
    await users.create({ name: 'Eve', email: 'eve@example.org' }),
  ];
  await startCommand('export', ['--url', service.url, all]).ended;
  const first = await startCommand('import', ['--data', elsewhere, ...KEEP, all]).ended;
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining('3 created') });

  const since = new Date().toISOString();
  await users.delete(ada.id);
  await users.update(bob.id, { email: ada.email });
  await expect.poll(() => Array.fromAsync(users.changesSince(since))).toHaveLength(2);
  await startCommand('export', ['--url', service.url, '--since', since, changed]).ended;
  await service.stop();

  // Passes the file of users by mistake.
  const mistaken = await importChanged('--deletions', changed);
  expect(mistaken).toMatchObject({ code: 1, errors: expect.stringContaining('line 1: must be { "id", "deletedAt" }') });
  const misspelled = await importChanged('--deletions', deletions, '--ignore', 'Notes');
  expect(misspelled).toMatchObject({ code: 1, errors: expect.stringMatching(/^Not imported: No row has .* "Notes"/) });
  const dry = await importChanged('--dry-run', '--deletions', deletions);
  expect(dry).toMatchObject({ code: 0, output: expect.stringContaining('1 valid') });
  expect(await listElsewhere()).toEqual([ada, bob, eve].map(({ id, email }) => [id, email]));

  const expected = [
    [bob.id, ada.email],
    [eve.id, eve.email],
  ];
  for (const [deleted, result] of [
    ['1 of 1 users', '1 updated'],
    ['0 of 1 users', '1 unchanged'],
  ]) {
    const { code, output, errors } = await importChanged('--deletions', deletions);
    expect({ code, output, errors }).toEqual({
      code: 0,
      output: expect.stringContaining(`${result}`),
      errors: expect.stringContaining(`${deleted} in ${deletions} deleted`),
    });
    expect(await listElsewhere()).toEqual(expected);
  }
});

const [users, deleted] = [join(folder, 'users.ndjson'), join(folder, 'deleted.ndjson')];

test.each([
  [['--deletions', deleted], '--deletions requires --keep-ids'],
  [['--keep-ids', '--deletions', '-'], '--deletions requires a file'],
  [['--keep-ids', '--deletions', 'none.ndjson'], 'File not found: none.ndjson'],
  [['--keep-ids', '--deletions', deleted, '--results', deleted], 'would be overwritten'],
])('wrong options (%#) are rejected with what to do', async (options, message) => {
  for (const file of [users, deleted]) writeFileSync(file, '');
  const { code, errors } = await startCommand('import', ['--data', elsewhere, ...options, users]).ended;
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(message) });
});
