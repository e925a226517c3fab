import { randomUUID } from 'node:crypto';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { tally } from '../setup/tally.ts';
import { newPerson } from '../setup/test-data.ts';
import { bare, type RestClient, clients, enveloped, parseError } from './client.ts';

const post = (client: RestClient, body: unknown, key: string) => client.create(body, { 'idempotency-key': key });

const requestRecords = async () => {
  const { Items = [] } = await table.send(
    new ScanCommand({
      TableName,
      FilterExpression: 'begins_with(pk, :request)',
      ExpressionAttributeValues: { ':request': 'REQUEST#' },
      ConsistentRead: true,
    }),
  );
  return Items;
};

describe.each(clients)('POST at $path with an Idempotency-Key', (client) => {
  test('gives the first answer again, whole, and creates nothing', async () => {
    const [input, key] = [newPerson(), randomUUID()];
    const first = await post(client, input, key);
    expect(first.status).toBe(201);
    expect(await post(client, input, key)).toEqual(first);
    expect(client.parseUsers(await client.list({ email: input.email }))).toHaveLength(1);
  });

  test('gives it again though the user has changed since', async () => {
    const [input, key] = [newPerson(), randomUUID()];
    const first = await post(client, input, key);
    const { id } = client.parseUser(first);
    await client.replace(id, newPerson());
    const changed = await client.read(id);
    expect(await post(client, input, key)).toEqual(first);
    expect(await client.read(id)).toEqual(changed);
  });

  test('gives it again though the user has been deleted since, and makes no other', async () => {
    const [input, key] = [newPerson(), randomUUID()];
    const first = await post(client, input, key);
    await client.remove(client.parseUser(first).id);
    expect(await post(client, input, key)).toEqual(first);
    expect(client.parseUsers(await client.list({ email: input.email }))).toEqual([]);
  });

  test('takes bodies for the same that are the same once validated', async () => {
    const [{ name, email }, key] = [newPerson(), randomUUID()];
    const first = await post(client, { name, email }, key);
    expect(await post(client, `{ "email": "  ${email}", "name": "${name} " }`, key)).toEqual(first);
  });

  test('is 422 with another body, and makes no user', async () => {
    const [input, other, key] = [newPerson(), newPerson(), randomUUID()];
    await post(client, input, key);
    for (const body of [other, { ...input, name: 'Another' }]) {
      const reply = await post(client, body, key);
      expect(reply.status).toBe(422);
      expect(parseError(reply)).toEqual({ error: 'This idempotency key was used with another body' });
    }
    expect(client.parseUsers(await client.list({ email: other.email }))).toEqual([]);
  });

  test('is 409 with another key and the same body', async () => {
    const input = newPerson();
    await post(client, input, randomUUID());
    expect((await post(client, input, randomUUID())).status).toBe(409);
  });

  test('gives one answer to 20 repetitions at once', async () => {
    const [input, key] = [newPerson(), randomUUID()];
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(client, input, key)));
    expect(tally(replies)).toEqual({ 201: 20 });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  test('lets one of 10 different bodies at once through', async () => {
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(client, newPerson(), key)));
    expect(tally(replies)).toEqual({ 201: 1, 422: 9 });
  });

  test('leaves no record where the body or the address was refused', async () => {
    const [input, taken, key] = [newPerson(), await client.newUser(), randomUUID()];
    const before = (await requestRecords()).length;
    expect((await post(client, { ...input, name: '' }, key)).status).toBe(400);
    expect((await post(client, { ...input, email: taken.email }, key)).status).toBe(409);
    expect(await requestRecords()).toHaveLength(before);
    expect((await post(client, input, key)).status).toBe(201);
  });

  test.each([
    ['is empty', ''],
    ['holds a space', 'a b'],
    ['is not ASCII', 'schlüssel'],
    ['holds a control character', 'a\tb'],
    ['is 256 characters long', 'k'.repeat(256)],
  ])('is 400 where the key %s, and makes no user', async (_, key) => {
    const input = newPerson();
    const reply = await post(client, input, key);
    expect(reply.status).toBe(400);
    expect(parseError(reply).issues).toHaveLength(1);
    expect(client.parseUsers(await client.list({ email: input.email }))).toEqual([]);
  });

  test('takes a key of 255 characters', async () => {
    expect((await post(client, newPerson(), `${randomUUID()}`.padEnd(255, 'k'))).status).toBe(201);
  });

  test('belongs to the caller: the key of another is another', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(
      ['ada', 'bob'].map((caller) => client.send('create-user', { body: newPerson(), headers, caller })),
    );
    expect(tally(replies)).toEqual({ 201: 2 });
  });

  test('counts a record as gone once it has expired, though DynamoDB still keeps it', async () => {
    const [input, key] = [newPerson(), randomUUID()];
    const first = client.parseUser(await post(client, input, key));
    const [record] = (await requestRecords()).filter(({ id }) => id === first.id);
    const lifetime = record?.expiresAt - Date.parse(record?.createdAt) / 1000;
    expect(Math.round(lifetime / 3600)).toBe(24);
    await table.send(
      new UpdateCommand({
        TableName,
        Key: { pk: record?.pk, sk: record?.sk },
        UpdateExpression: 'SET expiresAt = :now',
        ExpressionAttributeValues: { ':now': Math.floor(Date.now() / 1000) },
      }),
    );
    expect((await post(client, input, key)).status).toBe(409);
    const second = client.parseUser(await post(client, newPerson(), key));
    expect(second.id).not.toBe(first.id);
  });
});

test('a key is the same at either shape, which answers in its own way', async () => {
  const [input, key] = [newPerson(), randomUUID()];
  const first = enveloped.parseUser(await post(enveloped, input, key));
  const reply = await post(bare, input, key);
  expect(reply).toMatchObject({ status: 201, headers: { location: `/v1/users/${first.id}` } });
  expect(bare.parseUser(reply)).toEqual(first);
});
