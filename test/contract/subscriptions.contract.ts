import { expect, test } from 'vitest';
import type { UserRecord } from '../setup/bodies.ts';
import { bare, graphql, sendUntilDone, subscriptions } from './client.ts';

type Change = { userChanged: { kind: string; user: { name: string } | null } };

test('a subscription delivers the changes of a user in order, up to the deletion', async () => {
  const { id } = await bare.newUser();
  const query = 'subscription ($id: ID!) { userChanged(id: $id) { kind user { name } } }';
  const changes = subscriptions.iterate<Change>({ query, variables: { id } });
  const first = changes.next();
  let received = false;
  first.then(() => (received = true));
  let count = 0;
  const change = () => bare.update(id, { name: `Name ${count++}` });
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

type AnyChange = { userChanged: { cursor: string; kind: string; id: string; user: { name: string } | null } };

/** Opens at most two streams: a deployment may allow three per caller, each counts for 90 s, and the test above uses one. */
async function* followAll(start: string): AsyncGenerator<AnyChange['userChanged']> {
  const query = 'subscription ($after: ID) { userChanged(after: $after) { cursor kind id user { name } } }';
  // On reconnect, the client sends these variables again, with the last cursor as `after`.
  const variables = { after: start };
  for (const maxEvents of [3, Number.POSITIVE_INFINITY]) {
    let events = 0;
    for await (const { data } of subscriptions.iterate<AnyChange>({ query, variables })) {
      if (!data) throw new Error('A subscription without data');
      variables.after = data.userChanged.cursor;
      yield data.userChanged;
      if (++events === maxEvents) break;
    }
  }
}

test('a subscription to all users delivers each change once and in order across a reconnection', async () => {
  const names = ['Second', 'Third'];
  const createUser = () => bare.newUser({ name: 'First' });
  const changeUser = async ({ id }: UserRecord) => {
    for (const [index, name] of names.entries()) {
      const ifMatch = { 'if-match': `"${index + 1}"` };
      expect([200, 412]).toContain((await sendUntilDone(() => bare.update(id, { name }, ifMatch))).status);
    }
    expect([204, 404]).toContain((await sendUntilDone(() => bare.remove(id))).status);
  };
  // Start at the deployment's time, because its clock may differ from the local one.
  const { id } = await createUser();
  const { data } = await graphql<{ user: { createdAt: string } }>(`{ user(id: "${id}") { createdAt } }`);
  const changes = followAll(data?.user.createdAt ?? '');

  const users = await Promise.all(Array.from({ length: 20 }, createUser));
  const received = new Map(users.map((user): [string, string[]] => [user.id, []]));
  const remaining = new Set(received.keys());
  const receiveAll = async () => {
    for await (const { kind, id, user } of changes) {
      received.get(id)?.push(user ? `${kind} ${user.name}` : kind);
      if (kind === 'DELETED') remaining.delete(id);
      if (remaining.size === 0) return;
    }
  };
  await Promise.all([receiveAll(), ...users.map(changeUser)]);
  const expected = ['CREATED First', ...names.map((name) => `UPDATED ${name}`), 'DELETED'];
  expect([...received.values()]).toEqual(users.map(() => expected));
});
