import { expect, test } from 'vitest';
import { execute } from './client.ts';

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
