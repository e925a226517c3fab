import { createClient } from 'graphql-sse';
import { expect, inject, test } from 'vitest';
import { bare } from './client.ts';

const { AUTH_TOKEN } = process.env;
const client = createClient({
  url: inject('graphqlUrl'),
  headers: AUTH_TOKEN ? { authorization: `Bearer ${AUTH_TOKEN}` } : {},
});

type Change = { userChanged: { kind: string; user: { name: string } | null } };

test('a subscription hears of the changes of a user, in order, up to the end', async () => {
  const { id } = await bare.newUser();
  const query = 'subscription ($id: ID!) { userChanged(id: $id) { kind user { name } } }';
  const changes = client.iterate<Change>({ query, variables: { id } });
  const first = changes.next();
  let heard = false;
  first.then(() => (heard = true));
  let count = 0;
  const change = () => bare.update(id, { name: `Name ${count++}` });
  // When the stream is open cannot be seen from outside.
  await expect.poll(async () => (await change()) && heard, { interval: 500, timeout: 15_000 }).toBe(true);
  await bare.remove(id);

  const kinds: (string | undefined)[] = [];
  const names: (string | undefined)[] = [];
  for (let { value } = await first; value; { value } = await changes.next()) {
    kinds.push(value.data?.userChanged.kind);
    names.push(value.data?.userChanged.user?.name);
    if (kinds.at(-1) === 'DELETED') break;
  }
  await changes.return?.();
  const updates = names.filter((name) => name?.startsWith('Name '));
  const start = count - updates.length;
  expect(updates).toEqual(updates.map((_, at) => `Name ${start + at}`));
  expect(kinds.filter((kind) => kind !== 'CREATED')).toEqual([...updates.map(() => 'UPDATED'), 'DELETED']);
});
