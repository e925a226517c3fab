import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { DIRECTORY, userKey } from '../../../lib/dynamodb/keys.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { getUser } from '../../../lib/users/read.ts';
import { updateUser } from '../../../lib/users/write.ts';
import { createUser } from '../../setup/create-user.ts';

test('attributes of a later release are ignored and survive every update', async () => {
  const user = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const { id } = user;
  await table.send(
    new UpdateCommand({
      TableName,
      Key: userKey(id),
      UpdateExpression: 'SET pronouns = :pronouns',
      ExpressionAttributeValues: { ':pronouns': 'she/her' },
    }),
  );
  expect(await getUser({ id })).toEqual(user);
  await updateUser({ id, name: 'Ada Lovelace' }, 'test');
  await updateUser({ id, email: 'lovelace@example.org' }, 'test');
  await updateUser({ id, name: 'Ada', email: 'LOVELACE@example.org' }, 'test');
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(id), ConsistentRead: true }));
  expect(Item).toMatchObject({ name: 'Ada', email: 'LOVELACE@example.org', pronouns: 'she/her', version: 4 });
});

test('a list of users larger than 1 MB is complete', async () => {
  const now = new Date().toISOString();
  const first = await createUser({ name: 'First', email: 'first@example.org' });
  // More users than fit into the 1 MB of a query, which 30 users exceed.
  const users = Array.from({ length: 40 }, (_, at) => ({ email: `${at}@example.org`, id: uuidv7() }));
  const stored = { directory: DIRECTORY, name: 'x'.repeat(100_000), createdAt: now, updatedAt: now, version: 1 };
  await putItems(users.map(({ id, email }) => ({ ...userKey(id), ...stored, email })));
  const page = await listUsers({ limit: 30, after: first.id });
  expect(page.users.map(({ id }) => id)).toEqual(users.slice(0, 30).map(({ id }) => id));
  const rest = await listUsers({ limit: 30, after: page.next });
  expect(rest.users.map(({ id }) => id)).toEqual(users.slice(30).map(({ id }) => id));
  expect(rest.next).toBeUndefined();
});
