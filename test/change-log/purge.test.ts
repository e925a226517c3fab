import { once } from 'node:events';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { consume } from '../../lib/change-log/consume.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { type Key, newPostKey, purgeKey, userKey } from '../../lib/dynamodb/keys.ts';
import { createUser } from '../../lib/users/create.ts';
import { deleteUser } from '../../lib/users/delete.ts';
import { findUser } from '../../lib/users/get.ts';
import { startLocalService } from '../setup/local-service.ts';
import { startFaultProxy } from '../setup/proxy.ts';
import { putItems } from '../setup/put-items.ts';

let proxy: Awaited<ReturnType<typeof startFaultProxy>> | undefined;
afterEach(() => proxy?.stop());

const createPosts = (authorId: string, count: number) =>
  putItems(Array.from({ length: count }, () => ({ ...newPostKey(authorId, crypto.randomUUID()), title: 'A post' })));

async function createAuthor(posts: number): Promise<string> {
  const { id } = await createUser({ name: 'Author', email: `${crypto.randomUUID()}@example.com` });
  await createPosts(id, posts);
  return id;
}

async function countPosts(authorId: string): Promise<number> {
  const { Count = 0 } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
      ExpressionAttributeValues: { ':pk': userKey(authorId).pk, ':post': 'POST#' },
      Select: 'COUNT',
      ConsistentRead: true,
    }),
  );
  return Count;
}

async function findPurge(authorId: string) {
  const { Item } = await table.send(new GetCommand({ TableName, Key: purgeKey(authorId), ConsistentRead: true }));
  return Item?.part;
}

const newRecord = (eventName: 'INSERT' | 'REMOVE', { pk, sk }: Key, NewImage = {}): DynamoDBRecord => ({
  eventName,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage, SequenceNumber: String(Date.now()) },
});

test('a purge deletes 100 posts, requests the next part, and a repeated delivery does no harm', async () => {
  const author = crypto.randomUUID();
  await createPosts(author, 280);
  const deleted = newRecord('REMOVE', userKey(author));
  const next = newRecord('INSERT', purgeKey(author), { part: { N: '1' } });
  const steps = [];
  for (const record of [deleted, deleted, next, next, deleted]) {
    expect(await consume({ Records: [record] })).toEqual({ batchItemFailures: [] });
    steps.push({ posts: await countPosts(author), part: await findPurge(author) });
  }
  expect(steps).toEqual([
    { posts: 180, part: 1 },
    { posts: 80, part: 1 },
    { posts: 0, part: undefined },
    { posts: 0, part: undefined },
    { posts: 0, part: undefined },
  ]);
});

test('a consumer that is killed during a purge and started again leaves no post of the author, and all others', {
  timeout: 60_000,
}, async () => {
  const [author, other] = [await createAuthor(130), await createAuthor(3)];
  await deleteUser({ id: author });

  let deletes = 0;
  proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) => {
    if (operation === 'BatchWriteItem' && ++deletes === 5) service?.process.kill('SIGKILL');
    return undefined;
  });
  const environment = {
    TABLE_NAME: TableName,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  let service: Awaited<ReturnType<typeof startLocalService>> | undefined;
  service = await startLocalService([], environment);
  if (service.process.exitCode === null && service.process.signalCode === null) await once(service.process, 'close');
  expect(await countPosts(author)).toBeGreaterThan(0);

  const restarted = await startLocalService([], environment);
  await vi.waitFor(async () => expect(await countPosts(author)).toBe(0), { timeout: 30_000, interval: 100 });
  await restarted.stop();
  expect(await countPosts(other)).toBe(3);
  expect(await findUser(other)).toBeDefined();
});
