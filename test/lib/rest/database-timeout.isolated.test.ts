import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';

// A database that never answers. The handlers read these variables on import.
const silent = createServer().listen(0, '127.0.0.1');
await once(silent, 'listening');
process.env.REQUEST_TIME_LIMIT_MS = '300';
process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
const { bare, parseError, UNKNOWN_ID } = await import('./client.ts');
afterAll(() => silent.close());

test('GET returns 503 with Retry-After at the deadline when the database does not answer', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const response = await bare.get(UNKNOWN_ID);
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(parseError(response)).toEqual({ error: 'The service is busy; please try again' });
  expect(warn.mock.calls).toEqual([[{ event: 'unavailable', routeKey: 'GET /v1/users/{id}' }]]);
});
