import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallerShares, callers } from '../../lib/caller-shares.ts';
import { table } from '../../lib/dynamodb/client.ts';
import { execute } from './graphql/client.ts';
import { bare } from './rest/client.ts';

const HEAVY = 'heavy';
let isThrottled = false;

// Each attempt of the SDK passes here, as it does the network.
table.middlewareStack.add(
  (next) => async (args) => {
    if (!isThrottled) return next(args);
    isThrottled = false;
    throw Object.assign(new Error('Throughput exceeds the limit'), { name: 'ThrottlingException', $metadata: {} });
  },
  { step: 'finalizeRequest', priority: 'low', name: 'throttle' },
);

const list = (caller: string) => bare.send('list-users', { caller });
const query = () => execute('{ users { totalCount } }');

beforeEach(() => {
  callers.shares = new CallerShares();
});
afterEach(() => {
  isThrottled = false;
  callers.shares = new CallerShares();
});

test('a caller who consumes most gets 429 with Retry-After once DynamoDB throttles, and others are answered', async () => {
  for (let request = 0; request < 30; request++) expect((await list(HEAVY)).status).toBe(200);
  // One attempt fails, which the SDK repeats.
  isThrottled = true;
  expect((await list('light')).status).toBe(200);
  expect(await list(HEAVY)).toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.stringMatching(/^([1-9]|10)$/) },
    json: { message: 'You use too much of the database, which is at its limit; please wait' },
  });
  expect((await list('light')).status).toBe(200);
});

test('nobody waits while DynamoDB has room', async () => {
  for (let request = 0; request < 60; request++) expect((await list(HEAVY)).status).toBe(200);
});

test('GraphQL counts the same, here by network', async () => {
  for (let request = 0; request < 30; request++) expect((await query()).status).toBe(200);
  isThrottled = true;
  await list('light');
  const { status, headers, errors } = await query();
  expect([status, errors?.[0]?.extensions.code]).toEqual([429, 'SERVICE_UNAVAILABLE']);
  expect(headers).toMatchObject({ 'retry-after': expect.stringMatching(/^([1-9]|10)$/) });
});
