import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { newPostKey, postIdOf } from '../../lib/dynamodb/keys.ts';
import { listPosts } from '../../lib/posts/list.ts';
import { TableName, table } from '../../lib/dynamodb/table.ts';

/** More than the 1 MB that DynamoDB gives at once. */
const COUNT = 1100;
const author = uuidv7();
const keys = Array.from({ length: COUNT }, () => newPostKey(author, uuidv7()));
const ids = keys.map(postIdOf);

test('all posts of a user are listed, however many there are', async () => {
  for (let at = 0; at < COUNT; at += 25) {
    const puts = keys.slice(at, at + 25).map((key) => ({ PutRequest: { Item: { ...key, title: '🦊'.repeat(256) } } }));
    await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
  }
  expect((await listPosts(author, {})).map(({ id }) => id)).toEqual(ids);
  const paged = await listPosts(author, { first: 1050, after: ids[9] });
  expect(paged.map(({ id }) => id)).toEqual(ids.slice(10, 1060));
});

test('the posts of another are not among them', async () => {
  expect(await listPosts(uuidv7(), {})).toEqual([]);
});
