import { expect, test } from 'vitest';
import { changeLog } from '../../../../../lib/features/change-log/resolvers.ts';
import { createGraphqlContext } from '../../../../../lib/graphql/context.ts';
import { deleteUser } from '../../../../../lib/users/delete.ts';
import type { User } from '../../../../../lib/users/user.ts';
import { updateUser } from '../../../../../lib/users/write.ts';
import { createUser } from '../../../../setup/create-user.ts';
import { newPerson } from '../../../../setup/test-data.ts';
import { append, newChange } from '../changes.ts';
import { readEvents, requestSubscription } from './sse-client.ts';

const toChange = ({ id, ...fields }: User, at: string) =>
  newChange(id, { at, streamedAt: 0, version: fields.version, item: { pk: `USER#${id}`, ...fields } });

test('a write in progress when the subscription starts is delivered, a finished one is not', async () => {
  const user = await createUser(newPerson());
  const stop = new AbortController();
  const context = createGraphqlContext({ caller: 'ada' }, stop.signal);
  const before = new Date().toISOString();
  const changes = await changeLog.resolvers.Subscription.userChanged.subscribe(
    {},
    { id: user.id.toUpperCase() },
    context,
  );
  const written = await updateUser({ id: user.id, name: 'Written' }, 'test');
  // Logs a finished write, then one in progress at the start. The times of both are before the subscription.
  await append([toChange(user, user.updatedAt)]);
  await append([toChange(written, before)]);
  const { value } = await changes.next();
  expect(value?.item).toMatchObject({ name: 'Written', version: 2 });
  stop.abort();
});

test('a subscription without a cursor to a deleted or unknown user returns NOT_FOUND', async () => {
  const user = await createUser(newPerson());
  await append([toChange(user, user.updatedAt)]);
  await deleteUser({ id: user.id }, 'test');
  for (const id of [user.id, crypto.randomUUID()]) {
    const { json } = await requestSubscription('subscription ($id: ID) { userChanged(id: $id) { kind } }', { id });
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  }
});

test('a delete in progress when the subscription starts is delivered, and again after a resume from before it', async () => {
  const user = await createUser(newPerson());
  const stop = new AbortController();
  const subscribe = (after?: string) =>
    changeLog.resolvers.Subscription.userChanged.subscribe(
      {},
      { id: user.id, after },
      createGraphqlContext({ caller: 'ada' }, stop.signal),
    );
  const changes = await subscribe();
  await deleteUser({ id: user.id }, 'test');
  await append([
    toChange(user, user.updatedAt),
    newChange(user.id, { kind: 'DELETED', at: user.updatedAt, version: 2, item: null }),
  ]);
  expect((await changes.next()).value).toMatchObject({ kind: 'DELETED', item: null });
  const resumed = await subscribe(user.createdAt);
  expect([(await resumed.next()).value.item, (await resumed.next()).value.kind]).toMatchObject([
    { version: 1 },
    'DELETED',
  ]);
  stop.abort();
});

test('a stream that ends before its first change resumes from its start cursor without gaps or duplicates', async () => {
  const [earlier, between] = [await createUser(newPerson()), await createUser(newPerson())];
  await append([toChange(earlier, new Date(Date.now() - 10).toISOString())]);
  const query = 'subscription ($after: ID) { userChanged(after: $after) { id } }';
  const first = await requestSubscription(query);
  await first.disconnect();
  await append([toChange(between, new Date().toISOString())]);
  const resumed = await requestSubscription(query, { after: first.headers['stream-cursor'] });
  expect(resumed.headers['stream-cursor']).toBe(first.headers['stream-cursor']);
  const { value } = await readEvents(resumed).next();
  expect(value).toEqual({ data: { userChanged: { id: between.id } } });
  await resumed.disconnect();
});

test.each([
  ['userChanged(id: $id)', 'user', ''],
  ['userChanged', 'user', ''],
  ['postChanged(authorId: $id)', 'post', `.${crypto.randomUUID()}`],
])('%s shows a %s damaged by hand as null, with a cursor, and continues', async (field, name, post) => {
  const { id } = await createUser(newPerson());
  const query = field.includes('$id') ? 'subscription ($id: ID!)' : 'subscription';
  const stream = await requestSubscription(`${query} { ${field} { cursor ${name} { id } } }`, { id });
  const events = readEvents(stream);
  const damaged = {
    name: 'Ada',
    email: 'ada@example.org',
    title: 1,
    createdAt: 'yesterday',
    updatedAt: 'yesterday',
    version: 2,
  };
  for (const version of [2, 3]) {
    const item = { pk: `USER#${id}`, sk: post === '' ? 'USER' : `POST#${post.slice(1)}`, ...damaged, version };
    await append([newChange(`${id}${post}`, { version, item })]);
    const { value } = await events.next();
    expect(value).toEqual({ data: { [field.replace(/\(.*/, '')]: { cursor: expect.any(String), [name]: null } } });
  }
  await stream.disconnect();
});

test('fields besides the change show the current state in every event', async () => {
  const { id } = await createUser(newPerson());
  const stream = await requestSubscription(
    'subscription ($id: ID!) { postChanged(authorId: $id) { kind post { author { name } } } }',
    { id: id.toUpperCase() },
  );
  const events = readEvents(stream);
  for (const name of ['Ada', 'Grace']) {
    await updateUser({ id, name }, 'test');
    const own = crypto.randomUUID();
    const item = { pk: `USER#${id}`, sk: `POST#${own}`, title: 'On Engines' };
    await append([newChange(`${id}.${own}`, { kind: 'CREATED', item })]);
    const { value } = await events.next();
    expect(value).toEqual({ data: { postChanged: { kind: 'CREATED', post: { author: { name } } } } });
  }
  await stream.disconnect();
});
