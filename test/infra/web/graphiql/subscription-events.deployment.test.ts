import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { followEvents } from '../../../../infra/web/graphiql/subscription-events.ts';
import { type LocalService, startLocalService } from '../../../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());

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
