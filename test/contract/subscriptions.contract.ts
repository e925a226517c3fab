import { createClient } from 'graphql-sse';
import { expect, inject, test } from 'vitest';
import { bare } from './client.ts';

const { AUTH_TOKEN } = process.env;
const client = createClient({
  url: inject('graphqlUrl'),
  headers: AUTH_TOKEN ? { authorization: `Bearer ${AUTH_TOKEN}` } : {},
});

type Change = { userChanged: { kind: string; user: { name: string } | null } };

test('a subscription delivers the changes of a user in order, up to the deletion', async () => {
  const { id } = await bare.newUser();
  const query = 'subscription ($id: ID!) { userChanged(id: $id) { kind user { name } } }';
  const changes = client.iterate<Change>({ query, variables: { id } });
  const first = changes.next();
  let received = false;
  first.then(() => (received = true));
  let count = 0;
  const change = () => bare.update(id, { name: `Name ${count++}` });
  // A client cannot see when the stream is open, so change the user until a change arrives.
  await expect.poll(async () => (await change()) && received, { interval: 500, timeout: 120_000 }).toBe(true);
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
