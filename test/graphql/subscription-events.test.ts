import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendUserChanges } from '../../lib/change-log/append.ts';
import type { Change } from '../../lib/change-log/change.ts';
import { createGraphqlContext } from '../../lib/graphql/context.ts';
import { subscriptions } from '../../lib/graphql/schema/subscriptions.ts';
import { createUser } from '../../lib/users/create.ts';
import type { User } from '../../lib/users/schema.ts';
import { updateUser } from '../../lib/users/update.ts';
import { type LocalService, startLocalService } from '../setup/local-service.ts';

let sequence = 1;
const changeTo = ({ id, ...item }: User, at: string): Change => ({
  entity: 'user',
  kind: 'UPDATED',
  id,
  userId: id,
  at,
  streamedAt: 0,
  item: { pk: `USER#${id}`, ...item },
  sequence: String(sequence++).padStart(40, '0'),
});

test('a write in progress when the subscription starts is delivered, a finished one is not', async () => {
  const user = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const stop = new AbortController();
  const context = createGraphqlContext({ caller: 'ada', scopes: 'all' }, stop.signal);
  const before = new Date().toISOString();
  const changes = await subscriptions.userChanged.subscribe({}, { id: user.id }, context);
  const written = await updateUser({ id: user.id, name: 'Written' });
  // The stream delivers the first late, and the second has a time before the subscription.
  await appendUserChanges([changeTo(user, user.updatedAt)]);
  await appendUserChanges([changeTo(written, before)]);
  const { value } = await changes.next();
  expect(value?.item).toMatchObject({ name: 'Written', version: 2 });
  stop.abort();
});

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService();
});
afterAll(() => service.stop());

const graphql = async <Data>(query: string): Promise<Data> => {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return ((await response.json()) as { data: Data }).data;
};

/** The data of each event of a stream. */
async function* readEvents(query: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    signal,
  });
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      if (text.startsWith('event: next')) yield text.slice(text.indexOf('data: ') + 'data: '.length, end);
      text = text.slice(end + 2);
    }
  }
}

test('fields besides the change show the current state for every event', async () => {
  type Made = { createUser: { user: { id: string } } };
  const { createUser: made } = await graphql<Made>(
    'mutation { createUser(input: { name: "Old", email: "old@example.org" }) { user { id } } }',
  );
  const { id } = made.user;
  const leave = new AbortController();
  const events = readEvents(
    `subscription { postChanged(authorId: "${id}") { post { author { name } } } }`,
    leave.signal,
  );
  const post = () =>
    graphql(`mutation { createPost(input: { authorId: "${id}", title: "On Engines" }) { post { id } } }`);
  const names: unknown[] = [];
  const first = events.next();
  // A post created before the service has opened the stream is not delivered.
  while (names.length === 0) {
    await post();
    const event = await Promise.race([
      first,
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 1_500)),
    ]);
    if (event) names.push(event.value);
  }
  await graphql(`mutation { updateUser(input: { id: "${id}", name: "New" }) { user { id } } }`);
  await post();
  let last = '';
  while (!last.includes('New')) last = (await events.next()).value ?? 'New';
  expect(JSON.parse(last)).toEqual({ data: { postChanged: { post: { author: { name: 'New' } } } } });
  leave.abort();
});
