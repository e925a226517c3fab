import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { findErasure } from '../../../lib/features/erasure/record.ts';
import { findItem } from '../../lib/on-change/log-write.ts';
import { createUser } from '../../setup/create-user.ts';
import { newPerson } from '../../setup/test-data.ts';

const erase = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, ['infra/scripts/erase.ts', ...args], { input, encoding: 'utf8' });

test('--request repeats the erasures of another table, and leaves out people who are not in this one', async () => {
  const [erased, other] = [await createUser(newPerson()), await createUser(newPerson())];
  const unknown = crypto.randomUUID();
  const { status, stdout, stderr } = erase(`${erased.id}\n${unknown}\n`, '--request', '--table', TableName);
  expect([status, stdout.trim(), stderr]).toEqual([
    0,
    '1 of 2 erasures requested; the table does not contain the other ids',
    '',
  ]);
  expect(await findItem(userKey(erased.id))).toBeUndefined();
  expect(await findErasure(erased.id)).toMatchObject({ by: 'system', completedAt: null });
  expect(await findItem(userKey(other.id))).toBeDefined();
  expect(await findErasure(unknown)).toBeUndefined();
});

test('--request and --list are for tables only', () => {
  expect(erase('', '--request').stderr).toContain('require --table');
  expect(erase('', '--list').stderr).toContain('require --table');
});

test.each([
  [['--list', '--request'], 'Not erased: Use only one of --list and --request\n'],
  [['--list', 'an-id'], 'Not erased: --list takes no id\n'],
  [['--request', 'an-id'], 'Not erased: --request reads ids from standard input: pass none\n'],
])('%j is rejected', (args, message) => {
  expect(erase('', '--table', TableName, ...args).stderr).toBe(message);
});
