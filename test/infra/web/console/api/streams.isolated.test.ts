import '../browser-globals.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { calls, recordCall, recordFetch } from '../../../../../infra/web/console/api/calls.ts';

const fetch = vi.fn<typeof globalThis.fetch>();
beforeEach(() => {
  calls.set(() => []);
  vi.stubGlobal('fetch', fetch.mockReset());
});

const request = () =>
  recordFetch('/graphql', {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({ query: 'subscription Changes { x }' }),
  }).catch(() => {});
const readStatuses = () => calls.get().map(({ outcome }) => outcome?.status);

test('only the latest of several failed attempts is shown', async () => {
  recordCall({ method: 'GET', path: '/v1/users' })({ status: 503, milliseconds: 1, body: '' });
  fetch.mockResolvedValueOnce(new Response('', { status: 503 }));
  await request();
  expect(readStatuses()).toEqual([503, 503]);
  fetch.mockRejectedValue(new TypeError('Failed to fetch'));
  for (let attempt = 1; attempt <= 3; attempt += 1) await request();
  expect(readStatuses()).toEqual(['failed', 503]);
});

test('each started stream is shown', async () => {
  fetch.mockImplementation(async () => new Response(''));
  await request();
  await request();
  expect(readStatuses()).toEqual([200, 200]);
});
