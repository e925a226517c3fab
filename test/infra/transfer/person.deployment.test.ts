import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPerson } from '../../../infra/transfer/person.ts';
import { createClient } from '../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { newPerson } from '../../setup/test-data.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());

/** Rejects streams, like a service with too many open ones. */
const rejectStreams: typeof fetch = async (input, init) =>
  new Headers(init?.headers).get('accept') === 'text/event-stream'
    ? new Response(JSON.stringify({ errors: [{ message: '5 of 5 streams are open' }] }), { status: 429 })
    : fetch(input, init);

test('reading a person fails if all streams are open, instead of omitting the changes of posts', async () => {
  const { id } = await createClient({ baseUrl: service.url }).users.create(newPerson());
  const client = createClient({ baseUrl: service.url, fetch: rejectStreams });
  await expect(readPerson(client, id, [])).rejects.toThrow('5 of 5 streams are open');
});
