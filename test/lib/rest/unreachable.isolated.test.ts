import { describe, expect, test } from 'vitest';
import { findFreePort } from '../../../infra/local/database/engine.ts';
import { newPerson } from '../../setup/test-data.ts';

// No server listens at this endpoint, which the handlers read on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${await findFreePort()}`;
const { clients, parseError, UNKNOWN_ID } = await import('./client.ts');

describe.each(clients)('$path', (client) => {
  test('returns 503 with Retry-After when the database is unreachable', async () => {
    const responses = await Promise.all([client.list(), client.get(UNKNOWN_ID), client.create(newPerson())]);
    for (const response of responses) {
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
      expect(parseError(response)).toEqual({ error: 'The service is busy; please try again' });
    }
  });
});
