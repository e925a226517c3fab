import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { createDocumentCache } from '../../../../lib/graphql/http/document-cache.ts';
import { execute } from '../client.ts';

const document = (bytes: number) => parse('{ __typename }'.padEnd(bytes, '#'));

test('the most recently used documents are kept up to a number of bytes', async () => {
  const cache = createDocumentCache(100);
  await cache.set('a', document(40));
  await cache.set('b', document(40));
  expect(await cache.get('a')).toBeDefined();
  await cache.set('c', document(40));
  expect(await cache.get('b')).toBeUndefined();
  expect(await cache.get('a')).toEqual(document(40));
  expect(await cache.get('c')).toBeDefined();
});

test('a document that is stored again counts once', async () => {
  const cache = createDocumentCache(100);
  for (let times = 0; times < 5; times++) await cache.set('a', document(60));
  await cache.set('b', document(40));
  expect(await cache.get('a')).toBeDefined();
});

test('a document larger than the cache is not kept', async () => {
  const cache = createDocumentCache(100);
  await cache.set('a', document(101));
  expect(await cache.get('a')).toBeUndefined();
  await cache.set('b', document(100));
  await cache.delete('b');
  expect(await cache.get('b')).toBeUndefined();
});

test('a cached document is checked with the variables of each request', async () => {
  const query =
    'query ($first: Int) { users(first: $first) { edges { node { posts(first: 100) { author { id } } } } } }';
  const send = async (first: number) => (await execute(query, { first })).errors?.[0]?.message;
  expect(await send(1)).toBeUndefined();
  expect(await send(100)).toMatch(/^The operation costs \d+, which is more than 5000/);
  expect(await send(1)).toBeUndefined();
});

test('an invalid document is rejected each time', async () => {
  for (let times = 0; times < 2; times++)
    expect((await execute('{ nothing }')).errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
});
