import { expect, test, vi } from 'vitest';
import { calls, MAX_CALLS, recordFetch } from '../../../../../infra/web/console/api/calls.ts';

test('a call contains its DynamoDB usage if the service reports it', async () => {
  const headers = { 'server-timing': 'db;desc="2 requests, 1 RCU, 13 WCU", total;dur=12.6' };
  vi.stubGlobal('fetch', async (path: string) => Response.json({}, path === '/v1/users' ? { headers } : {}));
  await recordFetch('/v1/users');
  await recordFetch('/v1/users/1');
  const usages = calls.get().map(({ outcome }) => outcome?.usage);
  expect(usages).toEqual([undefined, '2 requests, 1 RCU, 13 WCU']);
});

test('the page keeps only the latest calls, with truncated responses', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ text: 'x'.repeat(100_000) }));
  for (let number = 0; number < MAX_CALLS + 5; number += 1) await recordFetch(`/v1/users/${number}`);
  expect(calls.get().map(({ path }) => path)).toEqual(
    Array.from({ length: MAX_CALLS }, (_, at) => `/v1/users/${MAX_CALLS + 4 - at}`),
  );
  const bodies = calls.get().map(({ outcome }) => outcome?.body);
  expect(bodies[0]).toMatch(/^\{\n {2}"text": "x+\n…$/);
  expect(Math.max(...bodies.map((body) => body?.length ?? 0))).toBeLessThan(5000);
});
