import { randomUUID } from 'node:crypto';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { tally } from '../../setup/tally.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare, enveloped, parseError, type Response, type RestClient } from './client.ts';

const post = (client: RestClient, body: unknown, key: string) => client.create(body, { 'idempotency-key': key });

const scanRecords = async () => {
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

const repeat = (first: Response) => ({ ...first, headers: { ...first.headers, 'idempotency-replayed': 'true' } });

/** Uses one format, because idempotency is the same in both. */
describe('POST with an Idempotency-Key', () => {
  const client = bare;

  test('returns the first response although the user has changed since', async () => {
    const [person, key] = [newPerson(), randomUUID()];
    const first = await post(client, person, key);
    const { id } = client.parseUser(first);
    await client.replace(id, newPerson());
    const changed = await client.read(id);
    expect(await post(client, person, key)).toEqual(repeat(first));
    expect(await client.read(id)).toEqual(changed);
  });

  test('returns the first response and creates nothing although the user has been deleted since', async () => {
    const [person, key] = [newPerson(), randomUUID()];
    const first = await post(client, person, key);
    await client.remove(client.parseUser(first).id);
    expect(await post(client, person, key)).toEqual(repeat(first));
    expect(client.parseUsers(await client.list({ email: person.email }))).toEqual([]);
  });

  test('compares bodies after validation', async () => {
    const [{ name, email }, key] = [newPerson(), randomUUID()];
    const first = await post(client, { name, email }, key);
    expect(await post(client, `{ "email": "  ${email}", "name": "${name} " }`, key)).toEqual(repeat(first));
  });

  test('returns 422 and creates no user when the body differs', async () => {
    const [person, other, key] = [newPerson(), newPerson(), randomUUID()];
    await post(client, person, key);
    for (const body of [other, { ...person, name: 'Another' }]) {
      const response = await post(client, body, key);
      expect(response.status).toBe(422);
      expect(parseError(response)).toEqual({ error: 'This idempotency key was used with another body; use a new key' });
    }
    expect(client.parseUsers(await client.list({ email: other.email }))).toEqual([]);
  });

  test('returns one response to 8 concurrent requests with the same body', async () => {
    const [person, key] = [newPerson(), randomUUID()];
    const responses = await Promise.all(Array.from({ length: 8 }, () => post(client, person, key)));
    expect(tally(responses)).toEqual({ 201: 8 });
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });

  test('creates one user when 10 concurrent requests have different bodies', async () => {
    const key = randomUUID();
    const responses = await Promise.all(Array.from({ length: 10 }, () => post(client, newPerson(), key)));
    expect(tally(responses)).toEqual({ 201: 1, 422: 9 });
  });

  test('stores no record when the request fails with 400 or 409', async () => {
    const [person, { email }, key] = [newPerson(), await client.newUser(), randomUUID()];
    const before = (await scanRecords()).length;
    expect((await post(client, { ...person, name: '' }, key)).status).toBe(400);
    expect((await post(client, { ...person, email }, key)).status).toBe(409);
    expect(await scanRecords()).toHaveLength(before);
    expect((await post(client, person, key)).status).toBe(201);
  });

  test('treats a key in quotes as the same key', async () => {
    const [person, key] = [newPerson(), `${randomUUID()}-"\\`];
    const first = await post(client, person, key);
    expect(await post(client, person, `"${key.replaceAll(/["\\]/g, '\\$&')}"`)).toEqual(repeat(first));
  });

  test('returns 400 when the key has no closing quote', async () => {
    for (const key of ['"', '"key', '"key\\"', '"key"; a=1'])
      expect(parseError(await post(client, newPerson(), key)).error).toBe(
        'Idempotency-Key: must end with a quote, because it starts with one',
      );
    for (const key of ['""', '"a b"'])
      expect(parseError(await post(client, newPerson(), key)).error).toMatch('1 to 255 visible ASCII characters');
  });

  test('returns 400 and creates no user when the key is not 1 to 255 visible ASCII characters', async () => {
    const person = newPerson();
    const message = 'must be 1 to 255 visible ASCII characters';
    for (const key of ['', 'a b', 'schlüssel', 'a\tb', 'k'.repeat(256)]) {
      const response = await post(client, person, key);
      expect([key, response.status]).toEqual([key, 400]);
      expect(parseError(response)).toEqual({
        error: `Idempotency-Key: ${message}`,
        issues: [{ path: ['Idempotency-Key'], message }],
      });
    }
    expect(client.parseUsers(await client.list({ email: person.email }))).toEqual([]);
    expect((await post(client, person, randomUUID().padEnd(255, 'k'))).status).toBe(201);
  });

  test('treats the same key of two callers as two keys', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const responses = await Promise.all(
      ['ada', 'bob'].map((caller) => client.send('create-user', { body: newPerson(), headers, caller })),
    );
    expect(tally(responses)).toEqual({ 201: 2 });
  });

  test('ignores a record that has expired although DynamoDB has not deleted it yet', async () => {
    const [person, key] = [newPerson(), randomUUID()];
    const first = client.parseUser(await post(client, person, key));
    const record = (await scanRecords()).find(({ id }) => id === first.id);
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
    expect((await post(client, person, key)).status).toBe(409);
    expect(client.parseUser(await post(client, newPerson(), key)).id).not.toBe(first.id);
  });
});

test('a key is the same in both response formats, and the first response is returned in the format of the request', async () => {
  const [person, key] = [newPerson(), randomUUID()];
  const first = enveloped.parseUser(await post(enveloped, person, key));
  const response = await post(bare, person, key);
  expect(response).toMatchObject({ status: 201, headers: { location: `/v1/users/${first.id}` } });
  expect(bare.parseUser(response)).toEqual(first);
});
