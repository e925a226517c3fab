import { BatchWriteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { userKey } from '../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../lib/dynamodb/table.ts';
import { createUser } from '../../lib/users/create.ts';
import { getUser } from '../../lib/users/get.ts';
import { listUsers } from '../../lib/users/list.ts';
import { updateUser } from '../../lib/users/update.ts';
import { putNewUser } from '../../lib/users/transaction-items.ts';

test('what a later version of the service keeps beside a user is passed over, and survives every update', async () => {
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
  await updateUser({ id, name: 'Ada Lovelace' });
  await updateUser({ id, email: 'lovelace@example.org' });
  await updateUser({ id, name: 'Ada', email: 'LOVELACE@example.org' });
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(id), ConsistentRead: true }));
  expect(Item).toMatchObject({ name: 'Ada', email: 'LOVELACE@example.org', pronouns: 'she/her', version: 4 });
});

test('a list of 1000 is whole though it is more than the 1 MB that DynamoDB gives at once', async () => {
  const now = new Date().toISOString();
  const ids = Array.from({ length: 1100 }, () => uuidv7());
  const puts = ids.map((id) => {
    const email = `${id}@${'a'.repeat(63)}.${'b'.repeat(63)}.org`;
    const user = { id, name: '🦊'.repeat(256), email, createdAt: now, updatedAt: now, version: 1 };
    return { PutRequest: { Item: putNewUser(user).Put?.Item } };
  });
  for (let at = 0; at < puts.length; at += 25)
    await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts.slice(at, at + 25) } }));
  const { users, next } = await listUsers({ limit: 1000, page: 1 });
  expect(users).toHaveLength(1000);
  const rest = await listUsers({ limit: 1000, after: next });
  expect([...users, ...rest.users].map(({ id }) => id).slice(-1100)).toEqual(ids);
});
