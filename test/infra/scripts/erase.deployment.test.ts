import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { deleteItems, putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName } from '../../../lib/dynamodb/client.ts';
import { deletionKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { erasureKey } from '../../../lib/features/erasure/keys.ts';
import { findErasure } from '../../../lib/features/erasure/record.ts';
import { findItem } from '../../lib/on-change/log-write.ts';
import { createUser } from '../../setup/create-user.ts';
import { newPerson } from '../../setup/test-data.ts';

const erase = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, ['infra/scripts/erase.ts', ...args], { input, encoding: 'utf8' });

test('--request repeats the erasures of another table, and leaves out people who are not in this one', async () => {
  const [erased, other] = [await createUser(newPerson()), await createUser(newPerson())];
  const unknown = crypto.randomUUID();
  const { status, stdout, stderr } = erase(
    `${erased.id.toUpperCase()}\n${unknown}\n`,
    '--request',
    '--table',
    TableName,
  );
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

test('a completed erasure with related users waits for earlier records, and names users with the same address', async () => {
  const [id, earlier, other] = [
    '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e25',
    '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e26',
    randomUUID(),
  ];
  const related = { earlierRecords: [earlier], sameAddress: [other] };
  await putItems([
    { ...deletionKey(userKey(id)), version: 2, erasure: 'completed' },
    { ...erasureKey(id), ...erasedAt, ...related },
    { ...erasureKey(earlier), ...erasedAt },
  ]);
  const { status, stdout, stderr } = erase('', '--table', TableName, id);
  expect([status, JSON.parse(stdout)]).toEqual([0, { id, ...erasedAt, ...related }]);
  expect(stderr).toContain(
    `Deleted users with the same address: ${other}. If they are the same person, erase them, too.`,
  );
  await deleteItems([erasureKey(earlier)]);
  expect(erase('', '--table', TableName, id)).toMatchObject({
    status: 1,
    stderr: `Not erased: An import created the user ${earlier} again\n`,
  });
});

const erasedAt = { requestedAt: '2026-01-31T12:00:00.000Z', by: 'system', completedAt: '2026-01-31T12:06:00.000Z' };
const unrelated = { earlierRecords: [], sameAddress: [] };

test('--list marks people who came back, because a restore must not erase them', async () => {
  const [gone, returned] = [{ id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23' }, await createUser(newPerson())];
  await putItems([gone, returned].map(({ id }) => ({ ...erasureKey(id), ...erasedAt })));
  const lines = erase('', '--list', '--table', TableName).stdout.trim().split('\n');
  const erasures = lines.map((line) => JSON.parse(line));
  expect(erasures).toContainEqual({ id: gone.id, ...erasedAt, ...unrelated });
  expect(erasures).toContainEqual({ id: returned.id, ...erasedAt, ...unrelated, returned: true });
});

test('a repeated command succeeds after a completed erasure, and says that it did not search the table', async () => {
  const id = '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e24';
  const deletion = { ...deletionKey(userKey(id)), version: 2, erasure: 'completed' };
  await putItems([deletion, { ...erasureKey(id), ...erasedAt }]);
  const { status, stdout, stderr } = erase('', '--table', TableName, id.toUpperCase());
  expect([status, JSON.parse(stdout), stderr]).toEqual([
    0,
    { id, ...erasedAt, ...unrelated },
    'The table was not searched: no address or name of the person was known any more when this command started.\n',
  ]);
});

test('--request and --list are for tables only', () => {
  expect(erase('', '--request').stderr).toContain('--request requires a table');
  expect(erase('', '--list').stderr).toContain('--list requires a table');
});

test.each([
  [['--list', '--request'], 'Not erased: Use only one of --list and --request\n'],
  [['--list', 'an-id'], 'Not erased: --list takes no id\n'],
  [['--request', 'an-id'], 'Not erased: --request reads ids from standard input: pass none\n'],
])('%j is rejected', (args, message) => {
  expect(erase('', '--table', TableName, ...args).stderr).toBe(message);
});
