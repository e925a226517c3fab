import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { deletionKey, type Item, type Key, requestKey, requirePostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { readLatestEntries } from '../../../lib/features/change-log/read.ts';
import { findTopic } from '../../../lib/features/change-log/topics.ts';
import { newPerson } from '../../setup/test-data.ts';
import { mutate } from '../graphql/client.ts';
import { findItem, logChange, logWrite } from '../on-change/log-write.ts';
import { bare, clients } from '../rest/client.ts';

async function readItem(key: Key): Promise<Item> {
  const item = await findItem(key);
  if (!item) throw new Error(`There is no ${JSON.stringify(key)}`);
  return item;
}

const ANN = { caller: 'ann' };
const BOB = { caller: 'bob' };

async function createUser(sent = ANN): Promise<string> {
  const { payload, text } = await mutate('createUser', newPerson(), sent);
  if (!payload) throw new Error(text);
  return payload.user.id;
}

async function createPost(authorId: string, sent = ANN): Promise<string> {
  const { payload, text } = await mutate('createPost', { authorId, title: 'On Engines' }, sent);
  if (!payload) throw new Error(text);
  return payload.post.id;
}

describe.each(clients)('the REST API at $path', (client) => {
  test('stores the caller who created, updated and replaced a user', async () => {
    const { id } = client.parseUser(await client.send('create-user', { body: newPerson(), ...ANN }));
    expect(await readItem(userKey(id))).toMatchObject({ version: 1, by: 'sub:ann' });
    await client.send('update-user', { id, body: { name: 'Ada' }, ...BOB });
    expect(await readItem(userKey(id))).toMatchObject({ version: 2, by: 'sub:bob' });
    await client.send('update-user', { id, body: { email: newPerson().email }, ...ANN });
    expect(await readItem(userKey(id))).toMatchObject({ version: 3, by: 'sub:ann' });
    await client.send('replace-user', { id, body: newPerson(), caller: 'ann@example.org' });
    expect(await readItem(userKey(id))).toMatchObject({ version: 4, by: expect.stringMatching(/^sha256:/) });
  });

  test('does not return the caller', async () => {
    const created = await client.send('create-user', { body: newPerson(), ...ANN });
    expect(created.text).not.toContain('ann"');
    const { id } = client.parseUser(created);
    expect((await client.get(id)).text).not.toContain('sub:ann');
  });

  test('keeps the caller when a PATCH changes nothing', async () => {
    const { id } = client.parseUser(await client.send('create-user', { body: newPerson(), ...ANN }));
    await client.send('update-user', { id, body: {}, ...BOB });
    expect(await readItem(userKey(id))).toMatchObject({ version: 1, by: 'sub:ann' });
  });

  test('records the caller who deleted a user', async () => {
    const { id } = client.parseUser(await client.send('create-user', { body: newPerson(), ...ANN }));
    const before = Date.now();
    await client.send('delete-user', { id, ...BOB });
    const { by, at, version, expiresAt } = await readItem(deletionKey(userKey(id)));
    expect({ by, version, expiresAt }).toEqual({ by: 'sub:bob', version: 2, expiresAt: undefined });
    expect(Date.parse(String(at))).toBeGreaterThanOrEqual(before);
  });
});

describe('GraphQL', () => {
  test('stores the caller of each version of a user and a post', async () => {
    const id = await createUser();
    expect(await readItem(userKey(id))).toMatchObject({ by: 'sub:ann' });
    await mutate('updateUser', { id, name: 'Ada' }, BOB);
    expect(await readItem(userKey(id))).toMatchObject({ version: 2, by: 'sub:bob' });
    await mutate('replaceUser', { id, ...newPerson() }, ANN);
    expect(await readItem(userKey(id))).toMatchObject({ version: 3, by: 'sub:ann' });
    const post = await createPost(id);
    expect(await readItem(requirePostKey(post))).toMatchObject({ by: 'sub:ann' });
    await mutate('updatePost', { id: post, title: 'New' }, BOB);
    expect(await readItem(requirePostKey(post))).toMatchObject({ version: 2, by: 'sub:bob' });
    await mutate('publishPost', { id: post }, ANN);
    expect(await readItem(requirePostKey(post))).toMatchObject({ version: 3, by: 'sub:ann' });
    await mutate('publishPost', { id: post }, BOB);
    expect(await readItem(requirePostKey(post))).toMatchObject({ version: 3, by: 'sub:ann' });
  });

  test('records the caller who deleted a user or a post', async () => {
    const id = await createUser();
    const post = await createPost(id);
    await mutate('deletePost', { id: post }, BOB);
    expect(await readItem(deletionKey(requirePostKey(post)))).toMatchObject({ by: 'sub:bob', version: 2 });
    await mutate('deleteUser', { id }, BOB);
    expect(await readItem(deletionKey(userKey(id)))).toMatchObject({ by: 'sub:bob', version: 2 });
  });
});

test('items without a caller can be read, changed and deleted', async () => {
  const { id } = bare.parseUser(await bare.create(newPerson()));
  const { by, ...user } = await readItem(userKey(id));
  await putItems([user]);
  expect((await bare.get(id)).status).toBe(200);
  await bare.send('update-user', { id, body: { name: 'Ada' }, ...BOB });
  expect(await readItem(userKey(id))).toMatchObject({ version: 2, by: 'sub:bob' });
  expect((await bare.remove(id)).status).toBe(204);
});

describe('the change log', () => {
  test('contains the caller who changed a user', async () => {
    const id = await createUser();
    await logWrite(userKey(id), () => mutate('updateUser', { id, name: 'Ada' }, BOB));
    expect(await findLogged(id)).toMatchObject([{ kind: 'UPDATED', by: 'sub:bob', version: 2 }]);
  });

  test('contains caller and time of the deletion of a user or post', async () => {
    const id = await createUser();
    const post = await createPost(id);
    await logWrite(requirePostKey(post), () => mutate('deletePost', { id: post }, BOB));
    await logWrite(userKey(id), () => mutate('deleteUser', { id }, ANN));
    const { at } = await readItem(deletionKey(userKey(id)));
    expect(await findLogged(id)).toMatchObject([{ kind: 'DELETED', by: 'sub:ann', at, version: 2 }]);
    expect(await findLogged(post)).toMatchObject([{ kind: 'DELETED', by: 'sub:bob', version: 2 }]);
  });

  test('names system for the posts of a deleted user, and no caller for a user deleted by hand', async () => {
    const id = await createUser();
    const post = await createPost(id);
    for (const key of [requirePostKey(post), userKey(id)]) await logChange(await readItem(key), undefined);
    expect(await findLogged(post)).toMatchObject([{ kind: 'DELETED', by: 'system' }]);
    expect(await findLogged(id)).toMatchObject([{ kind: 'DELETED', by: null }]);
  });

  test('ignores the record of another deletion of the same id', async () => {
    const id = await createUser();
    const old = { ...(await readItem(userKey(id))), version: 7 };
    await mutate('deleteUser', { id }, ANN);
    await logChange(old, undefined);
    expect(await findLogged(id)).toMatchObject([{ kind: 'DELETED', by: null, version: 8 }]);
  });
});

const findLogged = async (id: string) =>
  (await readLatestEntries(findTopic(id), undefined, 10)).filter((change) => change.id === id);

test('an idempotency record does not reveal the body', async () => {
  const id = await createUser();
  for (const idempotencyKey of ['one', 'two'])
    await mutate('createPost', { authorId: id, title: 'The same', idempotencyKey }, ANN);
  const { Items = [] } = await table.send(
    new ScanCommand({
      TableName,
      FilterExpression: 'begins_with(pk, :request) AND begins_with(id, :author)',
      ExpressionAttributeValues: { ':request': requestKey('').pk, ':author': id },
      ConsistentRead: true,
    }),
  );
  expect(new Set(Items.map(({ body }) => body)).size).toBe(2);
});
