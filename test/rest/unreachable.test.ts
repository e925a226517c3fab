import { describe, expect, test } from 'vitest';
import { findFreePort } from '../../infra/local/free-port.ts';
import { newPerson } from '../setup/test-data.ts';

// The handlers take the endpoint from the environment when they are imported.
process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${await findFreePort()}`;
const { clients, parseError } = await import('./client.ts');

describe.each(clients)('$path', (client) => {
  test('is 503 with Retry-After while the database is out of reach', async () => {
    const replies = await Promise.all([
      client.list(),
      client.get('01890000-0000-7000-8000-000000000000'),
      client.create(newPerson()),
    ]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
      expect(parseError(reply)).toEqual({ error: 'The service is busy; please try again' });
    }
  });
});
