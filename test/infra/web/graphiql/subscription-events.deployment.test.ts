import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { followEvents } from '../../../../infra/web/graphiql/subscription-events.ts';
import { createClient } from '../../../../lib/client/client.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';

const QUERY = `subscription Changes($after: ID) { userChanged(after: $after) { cursor kind user { name } } }`;

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());

const create = (name: string) =>
  fetch(`${service.url}/v1/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: `${name}@example.org` }),
  });

test('a subscription that another tab ends before its first event misses no event', async () => {
  const requests = vi.spyOn(globalThis, 'fetch').mockClear();
  const followInTab = () => followEvents(`${service.url}/graphql`, { query: QUERY }, { headers: {}, resumes: true });
  const first = followInTab();
  void first.next();
  const other = createClient({ baseUrl: service.url }).subscribe({ query: QUERY }, { resumes: true });
  const seen = other.next();
  const areOpen = () => requests.mock.settledResults.filter(({ type }) => type === 'fulfilled').length >= 2;
  await vi.waitUntil(areOpen, { timeout: 60_000 });
  // Lets both streams start.
  await sleep(0);
  await first.return?.();
  await create('meanwhile');
  await seen;
  await other.return();
  // The restarted subscription continues from its start time.
  for await (const { events } of followInTab()) if (JSON.stringify(events).includes('meanwhile')) return;
  expect.unreachable('The subscription ended before the change');
});

test('GraphiQL shows why a subscription was rejected and does not retry it', async () => {
  const shown: unknown[] = [];
  const events = followEvents(
    `${service.url}/graphql`,
    { query: 'subscription { nothing }' },
    { headers: {}, resumes: false },
  );
  for await (const each of events) shown.push(each);
  expect(shown).toHaveLength(1);
  expect(shown[0]).toHaveProperty('events.0.errors.0.message', expect.stringContaining('nothing'));
});

test('GraphiQL counts all events of a subscription, including those no longer shown', async () => {
  const event = 'event: next\ndata: {"data":{"userChanged":{"cursor":"1"}}}\n\n';
  const body = `${event.repeat(103)}event: complete\ndata:\n\n`;
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const query = 'subscription Many { any }';
  const counts: number[] = [];
  for await (const { received, events } of followEvents('/graphql', { query }, { headers: {}, resumes: false })) {
    counts.push(received);
    expect(events).toHaveLength(Math.min(received, 100));
  }
  expect(counts).toEqual(Array.from({ length: 103 }, (_, index) => index + 1));
});
