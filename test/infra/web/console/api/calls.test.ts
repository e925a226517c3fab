import { expect, test, vi } from 'vitest';
import {
  type Call,
  calculatePrice,
  calls,
  formatPricePerMillion,
  MAX_CALLS,
  parseUsage,
  recordFetch,
} from '../../../../../infra/web/console/api/calls.ts';

const call = (path: string, serverTiming: string | null): Call => ({
  number: 1,
  title: 'A call',
  method: 'GET',
  path,
  outcome: { status: 200, milliseconds: 4, body: '', usage: parseUsage(serverTiming) },
});

test.each([
  ['db;desc="1 request, 0.5 RCU", total;dur=4', { requests: 1, reads: 0.5, writes: 0 }],
  ['db;desc="2 requests, 1 RCU, 13 WCU", total;dur=12.6', { requests: 2, reads: 1, writes: 13 }],
  ['db;desc="0 requests", total;dur=1', { requests: 0, reads: 0, writes: 0 }],
  ['total;dur=1', undefined],
  [null, undefined],
])('the usage in Server-Timing %j is %j', (header, usage) => {
  expect(parseUsage(header)).toEqual(usage);
});

test('a REST call costs what costs.md says, without on-change', () => {
  // "get" in infra/costs.md: $1.59 per million.
  const price = calculatePrice(call('/v1/users/1', 'db;desc="1 request, 1 RCU"'));
  expect(price && formatPricePerMillion(price)).toBe('$1.59');
});

test('a GraphQL call pays no API Gateway', () => {
  const price = calculatePrice(call('/graphql', 'db;desc="1 request, 1 RCU"'));
  expect(price && formatPricePerMillion(price)).toBe('$0.59');
});

test('a call whose usage is unknown has no price', () => {
  expect(calculatePrice(call('/v1/users', null))).toBeUndefined();
});

test('the page keeps the latest calls only, and of each response no more than it shows', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ text: 'x'.repeat(100_000) }));
  for (let number = 0; number < MAX_CALLS + 5; number += 1) await recordFetch(`/v1/users/${number}`);
  expect(calls.get().map(({ path }) => path)).toEqual(
    Array.from({ length: MAX_CALLS }, (_, at) => `/v1/users/${MAX_CALLS + 4 - at}`),
  );
  const bodies = calls.get().map(({ outcome }) => outcome?.body);
  expect(bodies[0]).toMatch(/^\{\n {2}"text": "x+\n…$/);
  expect(Math.max(...bodies.map((body) => body?.length ?? 0))).toBeLessThan(5000);
});
