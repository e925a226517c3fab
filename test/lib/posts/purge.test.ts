import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { handler } from '../../../functions/on-change.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { type Key, purgeKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { countPosts, createPosts } from './posts.ts';

async function findPurge(authorId: string) {
  const { Item } = await table.send(new GetCommand({ TableName, Key: purgeKey(authorId), ConsistentRead: true }));
  return Item?.part;
}

const newRecord = (eventName: 'INSERT' | 'REMOVE', { pk, sk }: Key, NewImage = {}): DynamoDBRecord => ({
  eventName,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage, SequenceNumber: String(Date.now()) },
});

test('a purge deletes 97 posts and requests the next part, also when delivered twice', async () => {
  const author = crypto.randomUUID();
  await createPosts(author, 280);
  const deleted = newRecord('REMOVE', userKey(author));
  const next = newRecord('INSERT', purgeKey(author), { part: { N: '1' } });
  const steps = [];
  for (const record of [deleted, deleted, next, next, deleted]) {
    expect(await handler({ Records: [record] })).toEqual({ batchItemFailures: [] });
    steps.push({ posts: await countPosts(author), part: await findPurge(author) });
  }
  expect(steps).toEqual([
    { posts: 183, part: 1 },
    { posts: 86, part: 1 },
    { posts: 0, part: undefined },
    { posts: 0, part: undefined },
    { posts: 0, part: undefined },
  ]);
});
