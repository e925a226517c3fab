import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { readPerson } from '../../../infra/transfer/person.ts';
import { createClient } from '../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';
import { newPerson } from '../../setup/test-data.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());
afterEach(() => vi.restoreAllMocks());

/** Rejects streams, like a service with too many open ones. */
const rejectStreams: typeof fetch = async (input, init) =>
  new Headers(init?.headers).get('accept') === 'text/event-stream'
    ? new Response(JSON.stringify({ errors: [{ message: '5 of 5 streams are open' }] }), { status: 429 })
    : fetch(input, init);

test('reading a person fails if all streams are open, instead of omitting the changes of posts', async () => {
  const { id } = await createClient({ baseUrl: service.url }).users.create(newPerson());
  const client = createClient({ baseUrl: service.url, fetch: rejectStreams });
  await expect(readPerson(client, id)).rejects.toThrow('5 of 5 streams are open');
});

async function readPersonWithClock(minutesBehind: number) {
  const client = createClient({ baseUrl: service.url });
  const { id } = await client.users.create(newPerson());
  await client.posts.create({ authorId: id, title: 'On Engines' });
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => now() - minutesBehind * 60_000);
  return readPerson(client, id);
}

test('reading a person includes changes of posts although the clock of the device is five minutes behind', async () => {
  expect(await readPersonWithClock(5)).toMatchObject({ postChanges: [{ kind: 'CREATED' }] });
});

test('reading a person succeeds although the service does not have the changes of posts of a whole day', async () => {
  // The service rejects a start that is too old, like one before a gap in its log.
  expect(await readPersonWithClock(60)).toMatchObject({ posts: [{ title: 'On Engines' }], postChanges: null });
});
