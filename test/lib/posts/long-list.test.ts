import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { formatPostId, newPostKey } from '../../../lib/dynamodb/keys.ts';
import { listPosts } from '../../../lib/posts/read.ts';

/** 30 posts with this title exceed the 1 MB of a query. */
const LONG_TITLE = 'x'.repeat(100_000);
const COUNT = 30;

test('a list of posts larger than 1 MB is complete', async () => {
  const author = uuidv7();
  const keys = Array.from({ length: COUNT }, () => newPostKey(author, uuidv7()));
  await putItems(keys.map((key) => ({ ...key, title: LONG_TITLE })));
  const ids = keys.map(formatPostId);
  expect((await listPosts(author, {})).map(({ id }) => id)).toEqual(ids);
  const rest = await listPosts(author, { first: 25, after: ids[1] });
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(2, 27));
});

test('the list of an author without posts is empty', async () => {
  expect(await listPosts(uuidv7(), {})).toEqual([]);
});
