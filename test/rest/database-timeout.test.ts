import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';

// It takes connections and never says a word. The handlers take the endpoint from the environment when they are imported.
const silent = createServer().listen(0, '127.0.0.1');
await once(silent, 'listening');
process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
const { bare, failureIn } = await import('./client.ts');
afterAll(() => silent.close());

test('is 503, and not the end of the function, while the database takes requests and answers none', async () => {
  const reply = await bare.get('01890000-0000-7000-8000-000000000000');
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(failureIn(reply)).toEqual({ error: 'The service is busy; please try again' });
});
