import { isDeepStrictEqual } from 'node:util';
import { DeleteCommand, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkTable } from '../../../infra/scripts/check-table/check.ts';
import { findInconsistencies } from '../../../infra/scripts/check-table/find.ts';
import { repair } from '../../../infra/scripts/check-table/repair.ts';
import { putItems } from '../../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { type Item, userKey } from '../../../lib/dynamodb/keys.ts';
import { createPost } from '../../../lib/posts/create.ts';
import { createUser } from '../../../lib/users/create.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { findUserByEmail } from '../../../lib/users/find-by-email.ts';
import { updateUser } from '../../../lib/users/update.ts';

const readAll = async (): Promise<Item[]> => {
  const { Items = [] } = await table.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Items;
};
const formatKey = ({ pk, sk }: Item) => `${pk} ${sk}`;
const remove = ({ pk, sk }: Item) => table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

beforeEach(async () => {
  await Promise.all((await readAll()).map(remove));
});

/** The items that an operation writes, as one function each that sets the item to its state after the operation. */
async function recordWrites(operation: () => Promise<unknown>): Promise<(() => Promise<unknown>)[]> {
  const before = new Map((await readAll()).map((item) => [formatKey(item), item]));
  await operation();
  const after = new Map((await readAll()).map((item) => [formatKey(item), item]));
  await Promise.all([...after.values()].map(remove));
  await putItems([...before.values()]);
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].flatMap((key) => {
    const [old, next] = [before.get(key), after.get(key)];
    if (isDeepStrictEqual(old, next)) return [];
    return [() => (next ? table.send(new PutCommand({ TableName, Item: next })) : remove(old ?? {}))];
  });
}

/** All subsets, as lists of booleans. */
const subsets = (size: number) =>
  Array.from({ length: 2 ** size }, (_, bits) => Array.from({ length: size }, (_, bit) => Boolean(bits & (1 << bit))));

const ada = { name: 'Ada', email: 'ada@example.com' };

const operations: Record<string, (id: string) => Promise<unknown>> = {
  createUser: () => createUser({ name: 'Grace', email: 'grace@example.com' }),
  'updateUser of an email': (id) => updateUser({ id, email: 'new@example.com' }),
  deleteUser: (id) => deleteUser({ id }),
};

const checkAndRepair = () => checkTable({ repairs: true, index: { pause: async () => {} } });

describe.each(Object.entries(operations))('a restore that contains a part of %s', (_, operate) => {
  test('is repaired, whatever the part', async () => {
    const { id } = await createUser(ada);
    await createUser({ name: 'Bob', email: 'bob@example.com' });
    await createPost({ authorId: id, title: 'One' }, undefined);
    const before = await readAll();
    const writes = await recordWrites(() => operate(id));
    expect(writes.length).toBeGreaterThanOrEqual(2);
    for (const subset of subsets(writes.length)) {
      await Promise.all((await readAll()).map(remove));
      await putItems(before);
      for (const [index, isRestored] of subset.entries()) if (isRestored) await writes[index]?.();
      await checkAndRepair();
      const { users, found, indexed } = await checkTable();
      expect({ subset, found, indexed }).toEqual({ subset, found: {}, indexed: users });
    }
  });
});

test('the posts of a deleted user are found and deleted', async () => {
  const { id } = await createUser(ada);
  for (const title of ['One', 'Two']) await createPost({ authorId: id, title }, undefined);
  await deleteUser({ id });
  expect(await checkTable()).toMatchObject({ found: { 'post without author': 2 }, repaired: 0 });
  expect(await checkAndRepair()).toMatchObject({ found: { 'post without author': 2 }, repaired: 2 });
  expect(await checkTable()).toMatchObject({ found: {} });
});

test('an address that two users have is reported for an operator, and neither user is changed', async () => {
  const { id } = await createUser(ada);
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: userKey(id) }));
  const other = { ...Item, ...userKey('01890a5d-ac96-774b-bcce-b302099a8057') };
  await putItems([other]);
  const found = { 'user without claim': 1, 'search entry that differs': 4 };
  const conflicts = ['01890a5d-ac96-774b-bcce-b302099a8057'];
  expect(await checkAndRepair()).toMatchObject({ found, conflicts, repaired: 4 });
  expect((await findUserByEmail(ada.email))?.id).toBe(id);
});

test('a repair that meets a concurrent write changes nothing', async () => {
  const { id } = await createUser(ada);
  const [claim] = (await readAll()).filter(({ pk }) => String(pk).startsWith('EMAIL#'));
  await remove(claim ?? {});
  const [found] = await findInconsistencies({
    ...{ items: [], claims: [], posts: [], tombstones: [] },
    users: [{ id, email: ada.email, version: 1 }],
  });
  await updateUser({ id, email: 'new@example.com' });
  expect(found && (await repair(found))).toBe(false);
});
