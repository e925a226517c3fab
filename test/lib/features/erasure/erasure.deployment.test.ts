import { GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { handler as onChange } from '../../../../functions/on-change.ts';
import { tableSource } from '../../../../infra/scripts/transfer/table-source.ts';
import { deleteItems, getItems, putItems } from '../../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { deletionKey, type Item, type Key, requirePostKey, userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import type { LoggedChange } from '../../../../lib/features/change-log/entry.ts';
import { changeKey } from '../../../../lib/features/change-log/keys.ts';
import { LiveReader } from '../../../../lib/features/change-log/live-reader.ts';
import { readEntries } from '../../../../lib/features/change-log/read.ts';
import { subscribe } from '../../../../lib/features/change-log/subscribe.ts';
import {
  allUsers,
  MIN_POSITION,
  postsTopic,
  type Topic,
  userTopic,
} from '../../../../lib/features/change-log/topics.ts';
import { erasureJob } from '../../../../lib/features/erasure/job.ts';
import { erasureKey, pendingErasureKey } from '../../../../lib/features/erasure/keys.ts';
import { readHistory } from '../../../../lib/features/history/history.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { deleteFirstPosts } from '../../../../lib/posts/purge.ts';
import { listPosts } from '../../../../lib/posts/read.ts';
import { returnUsers } from '../../../../lib/users/return.ts';
import { findItemKind, itemKinds } from '../../../setup/item-kinds.ts';
import { fetchData, mutate, type Post, type User } from '../../graphql/client.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { now } = environment;
let ahead = 0;
const passTime = (ms: number) => {
  ahead += ms;
  environment.now = () => now() + ahead;
};
afterEach(() => {
  ahead = 0;
  environment.now = now;
  vi.restoreAllMocks();
});

/** Delivers records in one order, as if all items were in one partition. */
class Stream {
  readonly #records: DynamoDBRecord[] = [];
  #sequence = Date.now();

  async record<Result>(
    key: Key | undefined,
    write: () => Promise<Result>,
    findKey?: (result: Result) => Key,
  ): Promise<Result> {
    const before = key && (await read(key));
    const result = await write();
    const written = key ?? (findKey as (result: Result) => Key)(result);
    const after = await read(written);
    this.#records.push({
      eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
      dynamodb: {
        Keys: toImage({ pk: written.pk, sk: written.sk }) ?? {},
        ...(before ? { OldImage: toImage(before) ?? {} } : {}),
        ...(after ? { NewImage: toImage(after) ?? {} } : {}),
        SequenceNumber: String(this.#sequence++),
        ApproximateCreationDateTime: Math.floor(environment.now() / 1000),
      },
    });
    return result;
  }

  async deliver(records = this.#records): Promise<void> {
    expect(await onChange({ Records: records })).toEqual({ batchItemFailures: [] });
  }

  get first(): DynamoDBRecord[] {
    return this.#records.slice(0, 1);
  }

  get last(): DynamoDBRecord[] {
    return this.#records.slice(-1);
  }
}

async function read(key: Key): Promise<Item | undefined> {
  return (await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }))).Item;
}

/** The cast is safe: Lambda and the SDK type attribute values differently. */
const toImage = (item: Item) => marshall(item) as NonNullable<DynamoDBRecord['dynamodb']>['NewImage'];

async function listTraces(words: string[]): Promise<Key[]> {
  const found: Key[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    for (const item of Items) {
      const text = JSON.stringify(item).toLowerCase();
      if (words.some((word) => text.includes(word))) found.push({ pk: item.pk, sk: item.sk });
    }
  return found;
}

const listKinds = (keys: Key[]): string[] => [...new Set(keys.map((key) => findItemKind(key).item))].toSorted();

const findErasure = async (id: string) =>
  (
    await fetchData<{ erasure: { by: string; completedAt: string | null } | null }>(
      'query ($id: ID!) { erasure(id: $id) { by completedAt } }',
      { id },
    )
  ).erasure;

const must = <Payload>({ payload, text }: { payload: Payload | undefined; text: string }): Payload => {
  if (!payload) throw new Error(text);
  return payload;
};

async function createPerson() {
  const mark = `q${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
  const words = ['zebedee', 'quillfeather', 'engine'].map((word) => `${word}${mark}`);
  const [first, second, title] = words as [string, string, string];
  const stream = new Stream();
  const { user } = await stream.record(
    undefined,
    async () =>
      must(await mutate<{ user: User }>('createUser', { name: `Ada ${first}`, email: `${first}@example.org` })),
    ({ user }) => userKey(user.id),
  );
  const { id } = user;
  await stream.record(userKey(id), () =>
    mutate('updateUser', { id, name: `Ada ${second}`, email: `${second}@example.org` }),
  );
  await stream.record(
    undefined,
    async () => must(await mutate<{ post: Post }>('createPost', { authorId: id, title })),
    ({ post }) => requirePostKey(post.id),
  );
  return { id, words, stream };
}

const runJob = async (): Promise<string[]> => Object((await runJobs([erasureJob], () => true)).erasures).erased ?? [];

/** One run empties the change log, the next one completes the erasure. */
const eraseOnce = async (): Promise<string[]> => [...(await runJob()), ...(await runJob())];

/** Reads the log from `since` to a deletion of the person's data. */
async function follow(topic: Topic, id: string, since: string): Promise<LoggedChange[]> {
  const stop = new AbortController();
  const changes: LoggedChange[] = [];
  for await (const change of await subscribe(topic, since, stop.signal)) {
    changes.push(change);
    if (change.kind === 'DELETED' && change.userId === id) break;
  }
  stop.abort();
  return changes;
}

const queryChanges = (since: string) =>
  fetchData(
    'query ($since: DateTime) { userChanges(since: $since, first: 100) { nodes { kind user { name email } changed } } }',
    { since },
  );

const readers: [name: string, read: (id: string, since: string) => Promise<unknown>][] = [
  ['userChanges', (_, since) => queryChanges(since)],
  ['userHistory', (id) => readHistory(id, { limit: 10 })],
  ['userChanged that resumes', (id, since) => follow(userTopic(id), id, since)],
  ['userChanged of all users that resumes', (id, since) => follow(allUsers, id, since)],
  ['postChanged that resumes', (id, since) => follow(postsTopic(id), id, since)],
  ['export --since', (_, since) => tableSource.readChanges(since)],
  ['export --user', (id) => tableSource.readPerson(id)],
];

test.each(readers)('from the request of an erasure on, %s shows no personal data', async (_, readLog) => {
  const since = new Date(environment.now() - 1_000).toISOString();
  const { id, words, stream } = await createPerson();
  const [post] = await listPosts(id, {});
  await stream.deliver();
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.record(requirePostKey(post?.id ?? ''), () => deleteFirstPosts(id));
  await stream.deliver();
  const text = JSON.stringify(await readLog(id, since));
  expect(text).toContain('"DELETED"');
  for (const word of words) expect(text).not.toContain(word);
  expect(listKinds(await listTraces(words))).toEqual(['change of a post', 'change of a user']);
});

test('an open stream shows no values that are logged after the request of an erasure', async () => {
  const { id, stream } = await createPerson();
  const stop = new AbortController();
  const reader = new LiveReader();
  const open = await Promise.all(
    [userTopic(id), postsTopic(id), allUsers].map((topic) => reader.open(topic, stop.signal)),
  );
  const [post] = await listPosts(id, {});
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.record(requirePostKey(post?.id ?? ''), () => deleteFirstPosts(id));
  await stream.deliver();
  await reader.poll();
  for (const each of open)
    expect((await each.take()).map(({ change }) => change)).toMatchObject([{ kind: 'DELETED', item: null }]);
  stop.abort();
});

/** Runs `run`. Runs `interrupt` before the first request that contains the text. */
async function interruptAt<Result>(
  text: string,
  interrupt: () => Promise<void>,
  run: () => Promise<Result>,
): Promise<Result> {
  let isInterrupted = false;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (!isInterrupted && JSON.stringify(args.input).includes(text)) {
        isInterrupted = true;
        await interrupt();
      }
      return next(args);
    },
    { step: 'initialize', name: 'interrupt' },
  );
  try {
    return await run();
  } finally {
    table.middlewareStack.remove('interrupt');
  }
}

test('deletion and erasure do what test/setup/item-kinds.ts says of each kind of item with personal data', async () => {
  const { id, words, stream } = await createPerson();
  await stream.deliver();
  // No field is unique here, and the setting `groups` is off.
  const others = ['claim of a unique field', 'membership entry'];
  const personal = itemKinds.filter(({ erasure, item }) => erasure !== 'ignores' && !others.includes(item));
  const listNames = (kinds: typeof personal) => kinds.map(({ item }) => item).toSorted();
  expect(listKinds(await listTraces(words)), 'createPerson makes an item of each kind').toEqual(listNames(personal));

  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  passTime(MINUTE);
  expect(await eraseOnce()).not.toContain(id);
  expect(listKinds(await listTraces(words))).toEqual(
    listNames(personal.filter(({ deletion }) => deletion === 'keeps')),
  );

  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
});

test('after an erasure, the table holds no personal data, and late stream records restore none', async () => {
  const { id, words, stream } = await createPerson();
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }, { caller: 'ann' }));
  await stream.deliver();
  expect(await findErasure(id)).toEqual({ by: 'sub:ann', completedAt: null });
  expect(await listTraces(words)).not.toEqual([]);

  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
  expect(await findErasure(id)).toEqual({ by: 'sub:ann', completedAt: expect.stringMatching(/Z$/) });
  const history = [];
  for await (const change of readEntries(userTopic(id), MIN_POSITION)) history.push([change.kind, change.by]);
  expect(history).toEqual([
    ['CREATED', 'anonymous'],
    ['UPDATED', 'anonymous'],
    ['DELETED', 'sub:ann'],
  ]);

  passTime(5 * HOUR);
  await stream.deliver();
  expect(await listTraces(words)).toEqual([]);
});

test('an erasure waits until all posts are deleted', async () => {
  const { id, words, stream } = await createPerson();
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  passTime(6 * MINUTE);
  expect(await runJob()).not.toContain(id);
  await stream.deliver();
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
});

test('stream records delivered too late write no data of an erased person', async () => {
  const { id, words, stream } = await createPerson();
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  passTime(50 * HOUR);
  // The late erasure raises an alarm, but continues.
  await expect(eraseOnce()).rejects.toThrow('These jobs failed: erasures');
  passTime(50 * HOUR);
  expect(await eraseOnce()).toContain(id);
  await stream.deliver(stream.first);
  await stream.deliver();
  expect(await listTraces(words)).toEqual([]);
});

test('a user deleted earlier can be erased, and a repeated request is harmless', async () => {
  const { id, words, stream } = await createPerson();
  await stream.record(userKey(id), () => mutate('deleteUser', { id }));
  await stream.deliver();
  for (let time = 0; time < 2; time++) {
    const { payload } = await mutate('deleteUser', { id, erase: true });
    expect(payload).toEqual({ id });
  }
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
  expect((await mutate('deleteUser', { id, erase: true })).payload).toEqual({ id });
  expect(await eraseOnce()).not.toContain(id);
});

test.each([
  ['the erasure and its entry in the queue', [erasureKey, pendingErasureKey]],
  ['the erasure', [erasureKey]],
  ['its entry in the queue', [pendingErasureKey]],
])('a repeated request erases a person if a restored table lacks %s', async (_, lost) => {
  const { id, words, stream } = await createPerson();
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  await deleteItems(lost.map((toKey) => toKey(id)));
  expect((await mutate('deleteUser', { id, erase: true })).payload).toEqual({ id });
  expect(await findErasure(id)).toMatchObject({ completedAt: null });
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
});

test('a repeated request completes an erasure if a restored table has completed only a part of it', async () => {
  const { id } = await createErasable();
  const before = await getItems([deletionKey(userKey(id)), pendingErasureKey(id)]);
  expect(await eraseOnce()).toContain(id);
  for (const item of before) {
    await putItems([item]);
    await mutate('deleteUser', { id, erase: true });
    passTime(6 * MINUTE);
    expect(await eraseOnce()).toContain(id);
    expect(await read(deletionKey(userKey(id)))).toMatchObject({ erasure: 'completed' });
  }
});

test('deleteUsers requests erasures for the items with erase', async () => {
  const [erased, deleted] = [await createPerson(), await createPerson()];
  const users = [{ id: erased.id, erase: true }, { id: deleted.id }];
  await fetchData(
    'mutation ($users: [DeleteUserInput!]!) { deleteUsers(input: { users: $users }) { results { error { code } } } }',
    { users },
  );
  expect(await findErasure(erased.id)).toMatchObject({ completedAt: null });
  expect(await findErasure(deleted.id)).toBe(null);
});

test('an unknown user cannot be erased', async () => {
  const { errors } = await mutate('deleteUser', { id: crypto.randomUUID(), erase: true });
  expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
});

test.each(['', 'x', 'x'.repeat(5_000), 'PENDING#'])('the id %j has no erasure', async (id) => {
  expect(await findErasure(id)).toBe(null);
  expect((await mutate('deleteUser', { id, erase: true })).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
});

test('an address taken over by another user stays with that user', async () => {
  const { id, words, stream } = await createPerson();
  const [, second] = words;
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  const { user } = must(await mutate<{ user: User }>('createUser', { name: 'Bea', email: `${second}@example.org` }));
  await stream.deliver();
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  const found = await fetchData<{ userByEmail: User | null }>(
    'query ($email: String!) { userByEmail(email: $email) { id } }',
    {
      email: `${second}@example.org`,
    },
  );
  expect(found.userByEmail?.id).toBe(user.id);
});

test('an import of the user withdraws an erasure', async () => {
  const { id, stream } = await createPerson();
  const item = { ...(await read(userKey(id))), id };
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  expect(await importUser(item)).toEqual({ kind: 'erased' });
  expect(await findErasure(id)).toMatchObject({ completedAt: null });
  expect(await importUser(item, true)).toMatchObject({ kind: 'written', user: { id, version: 4 } });
  expect(await findErasure(id)).toBe(null);
  passTime(6 * MINUTE);
  expect(await eraseOnce()).not.toContain(id);
  expect(await read(userKey(id))).toBeDefined();
  await mutate('deleteUser', { id });
  expect(await importUser(item)).toMatchObject({ kind: 'written', user: { id, version: 6 } });
});

test('an erasure of a user recreated by hand stays pending and is logged', async () => {
  const { id, stream } = await createPerson();
  const item = await read(userKey(id));
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  await putItems([item ?? {}]);
  passTime(6 * MINUTE);
  const warned = vi.spyOn(console, 'warn').mockReturnValue();
  expect(await eraseOnce()).not.toContain(id);
  expect(warned.mock.calls.flat()).toContainEqual({ event: 'erasure of an existing user', erasure: id });
  expect(await findErasure(id)).toMatchObject({ completedAt: null });
  // After an hour, each run fails, so that an alarm fires.
  passTime(60 * MINUTE);
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  await expect(eraseOnce()).rejects.toThrow('These jobs failed: erasures');
  const message = expect.stringMatching(`^Erasures have waited for more than an hour:.* ${id}`);
  expect(logged.mock.calls.flat()).toContainEqual(
    expect.objectContaining({ job: 'erasures', error: expect.objectContaining({ message }) }),
  );
  await mutate('deleteUser', { id, erase: true });
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
});

test('an erasure requested while the user returns deletes the user again', async () => {
  const { id } = await createPerson();
  const item = { ...(await read(userKey(id))), id };
  await mutate('deleteUser', { id });
  let returned: unknown;
  const bringBackFirst = async () => {
    returned = await importUser(item);
  };
  const erased = await interruptAt('ERASURES', bringBackFirst, () => mutate('deleteUser', { id, erase: true }));
  expect(erased.payload).toEqual({ id });
  expect(returned).toMatchObject({ kind: 'written' });
  expect(await read(userKey(id))).toBe(undefined);
  expect(await findErasure(id)).toMatchObject({ completedAt: null });
});

test('erasure and deletion record of an erased person expire by the setting of the job, not of a command', async () => {
  const { id, stream } = await createPerson();
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  expect(await read(deletionKey(userKey(id)))).toMatchObject({ erasure: 'pending', version: 3 });
  expect(await read(deletionKey(userKey(id)))).not.toHaveProperty('expiresAt');
  passTime(6 * MINUTE);
  vi.stubEnv('BACKUP_DAYS', '90');
  expect(await eraseOnce()).toContain(id);
  expect(await read(deletionKey(userKey(id)))).toMatchObject({ erasure: 'completed' });
  for (const key of [deletionKey(userKey(id)), erasureKey(id)]) {
    const { expiresAt } = (await read(key)) ?? {};
    expect(Number(expiresAt) - environment.now() / 1000).toBeCloseTo(91 * 24 * 3600, -2);
  }
  vi.unstubAllEnvs();
});

/** Writes a user as `import --keep-ids` does. */
async function importUser({ pk, sk, directory, derived, ...user }: Item, despiteErasure = false) {
  const [outcome] = await returnUsers([
    { create: () => ({ own: {}, ...user, by: 'system' }) as never, despiteErasure },
  ]);
  return outcome;
}

async function bringBack(user: Item, stream: Stream) {
  const word = `returned${crypto.randomUUID().slice(0, 8)}`;
  const back = { ...user, name: `Ada ${word}`, email: `${word}@example.org` };
  await stream.record(userKey(String(user.id)), () => importUser(back, true));
  return word;
}

test.each([
  ['completed', true],
  ['pending', false],
])('a user brought back by an import while the erasure is %s is erased again', async (_, isCompleted) => {
  const { id, words, stream } = await createPerson();
  const item = { ...(await read(userKey(id))), id };
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }, { caller: 'ann' }));
  await stream.deliver();
  passTime(6 * MINUTE);
  if (isCompleted) expect(await eraseOnce()).toContain(id);
  const word = await bringBack(item, stream);
  passTime(MINUTE);
  await stream.record(userKey(id), () => mutate('deleteUser', { id }));
  await stream.deliver();
  expect(await listTraces([word])).not.toEqual([]);

  passTime(MINUTE);
  expect((await mutate('deleteUser', { id, erase: true }, { caller: 'bob' })).payload).toEqual({ id });
  expect(await findErasure(id)).toEqual({ by: 'sub:bob', completedAt: null });
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces([...words, word])).toEqual([]);
  await mutate('deleteUser', { id, erase: true });
  expect(await findErasure(id)).toMatchObject({ by: 'sub:bob', completedAt: expect.any(String) });
});

/** Creates a person and requests an erasure, which is due. `item` is the user before the request. */
async function createErasable() {
  const { id, words, stream } = await createPerson();
  const item = { ...(await read(userKey(id))), id };
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  passTime(6 * MINUTE);
  return { id, words, stream, item };
}

test('late records and the history of a user who came back after an erasure keep their values', async () => {
  const { id, words, stream, item } = await createErasable();
  expect(await eraseOnce()).toContain(id);
  const word = await bringBack(item, stream);
  expect(await findErasure(id)).toMatchObject({ completedAt: expect.any(String) });
  passTime(10 * MINUTE);
  await stream.deliver();
  expect(await listTraces(words)).toEqual([]);
  const { entries } = await readHistory(id, { limit: 1 });
  expect(entries).toMatchObject([{ after: { name: `Ada ${word}` } }]);
});

test('a late deletion of a user who came back after an erasure keeps its values', async () => {
  const { id, words, stream, item } = await createErasable();
  expect(await eraseOnce()).toContain(id);
  passTime(2 * MINUTE);
  const word = await bringBack(item, stream);
  await stream.record(userKey(id), () => mutate('deleteUser', { id }));
  passTime(10 * MINUTE);
  await stream.deliver();
  expect(await listTraces(words)).toEqual([]);
  const { entries } = await readHistory(id, { limit: 1 });
  expect(entries).toMatchObject([{ kind: 'DELETED', before: { name: `Ada ${word}` } }]);
});

test('a user who comes back before the job reads the change log keeps its history', async () => {
  const { id, stream, item } = await createErasable();
  let word = '';
  const comeBack = async () => {
    word = await bringBack(item, stream);
    await stream.deliver();
  };
  expect(await interruptAt(changeKey(userTopic(id).name, '').pk, comeBack, eraseOnce)).not.toContain(id);
  expect(await findErasure(id)).toBe(null);
  const { entries } = await readHistory(id, { limit: 1 });
  expect(entries).toMatchObject([{ after: { name: `Ada ${word}` } }]);
});

test('a user who comes back and is erased again during the job waits for the records of the second deletion', async () => {
  const { id, words, stream, item } = await createErasable();
  let word = '';
  const comeBackAndLeave = async () => {
    word = await bringBack(item, stream);
    await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  };
  expect(await interruptAt(':completed', comeBackAndLeave, eraseOnce)).not.toContain(id);
  await stream.deliver();
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces([...words, word])).toEqual([]);
});

test('a user deleted by hand is erased although on-change reads the deletion after the request', async () => {
  const { id, words, stream } = await createPerson();
  await stream.deliver();
  await stream.record(userKey(id), () => deleteItems([userKey(id)]));
  expect((await mutate('deleteUser', { id, erase: true })).payload).toEqual({ id });
  await stream.deliver();
  expect(await read(deletionKey(userKey(id)))).toMatchObject({ erasure: 'pending', version: 3 });
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
});

test('a user deleted by hand stays erased if on-change reads the deletion after the erasure', async () => {
  const { id, words, stream } = await createPerson();
  await stream.deliver();
  const item = { ...(await read(userKey(id))), id };
  await stream.record(userKey(id), () => deleteItems([userKey(id)]));
  await mutate('deleteUser', { id, erase: true });
  await eraseOnce();
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  await stream.deliver();
  expect(await read(deletionKey(userKey(id)))).toMatchObject({ erasure: 'completed', version: 3 });
  expect(await read(deletionKey(userKey(id)))).toHaveProperty('expiresAt');
  expect(await importUser(item)).toEqual({ kind: 'erased' });
  expect(await listTraces(words)).toEqual([]);
});

test('a user recreated and deleted by hand after an erasure can be erased again', async () => {
  const { id, words, stream } = await createPerson();
  const item = await read(userKey(id));
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  await eraseOnce();
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  passTime(2 * MINUTE);
  await stream.record(userKey(id), () => putItems([{ ...item, version: 8 }]));
  await stream.record(userKey(id), () => deleteItems([userKey(id)]));
  await stream.deliver();
  expect(await listTraces(words)).not.toEqual([]);
  await mutate('deleteUser', { id, erase: true });
  await eraseOnce();
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
});

test('an erasure of a user recreated and deleted by hand waits for the records of the second deletion', async () => {
  const { id, words, stream } = await createPerson();
  const item = await read(userKey(id));
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  await stream.deliver();
  passTime(6 * MINUTE);
  await stream.record(userKey(id), () => putItems([item ?? {}]));
  vi.spyOn(console, 'warn').mockReturnValue();
  expect(await eraseOnce()).not.toContain(id);
  await stream.record(userKey(id), () => deleteItems([userKey(id)]));
  expect(await eraseOnce()).not.toContain(id);
  await stream.deliver();
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
});

test('a late record of a post that was deleted after the request of an erasure writes nothing of the post', async () => {
  const { id, words, stream } = await createPerson();
  const [post] = await listPosts(id, {});
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  passTime(5 * MINUTE);
  await stream.record(requirePostKey(post?.id ?? ''), () => deleteFirstPosts(id));
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toContain(id);
  await stream.deliver();
  expect(await listTraces(words)).toEqual([]);
});

test('on-change deletes posts just before an erasure of a restored table completes, and logs no title', async () => {
  const { id, words, stream } = await createPerson();
  await stream.deliver();
  const [post] = await listPosts(id, {});
  await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
  // Neither `on-change` nor the job runs until the deploy switches them to the restored table.
  passTime(10 * MINUTE);
  await stream.record(requirePostKey(post?.id ?? ''), () => stream.deliver(stream.last));
  expect(await eraseOnce()).toContain(id);
  expect(await listTraces(words)).toEqual([]);
  await stream.deliver(stream.last);
  expect(await listTraces(words)).toEqual([]);
});

test('a damaged log entry is erased and blocks no erasure', async () => {
  const damaged = await createPerson();
  const other = await createPerson();
  for (const { id, stream } of [damaged, other]) {
    await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
    await stream.deliver();
  }
  for await (const { sequence: position } of readEntries(userTopic(damaged.id), MIN_POSITION)) {
    const [entry] = await getItems([changeKey(userTopic(damaged.id).name, position)]);
    if (entry?.kind === 'UPDATED') await putItems([{ ...entry, kind: 'CHANGED' }]);
  }
  passTime(6 * MINUTE);
  expect(await eraseOnce()).toEqual(expect.arrayContaining([damaged.id, other.id]));
  expect(await listTraces([...damaged.words, ...other.words])).toEqual([]);
});

test('a failed erasure is logged, and the next one completes', async () => {
  const [broken, other] = [await createPerson(), await createPerson()];
  for (const { id, stream } of [broken, other]) {
    await stream.record(userKey(id), () => mutate('deleteUser', { id, erase: true }));
    await stream.deliver();
  }
  passTime(6 * MINUTE);
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const send = table.send.bind(table) as (command: { input: object }) => Promise<object>;
  const isOfBroken = ({ input }: { input: object }) => JSON.stringify(input).includes(userTopic(broken.id).name);
  const fail = vi.spyOn(table, 'send').mockImplementation((async (command: { input: object }) => {
    if (isOfBroken(command)) throw new Error('The log cannot be read');
    return send(command);
  }) as never);
  await expect(eraseOnce()).rejects.toThrow('These jobs failed: erasures');
  expect(logged.mock.calls.flat()).toContainEqual(expect.objectContaining({ erasure: broken.id }));
  expect(await listTraces(other.words)).toEqual([]);
  fail.mockRestore();
  expect(await listTraces(broken.words)).not.toEqual([]);
  expect(await eraseOnce()).toEqual(expect.arrayContaining([broken.id, other.id]));
});

test.each([
  ['point-in-time recovery', '0', 36],
  ['daily backups', '90', 91],
])('an erasure record outlives %s, because a restore brings the person back', async (_, days, expected) => {
  vi.stubEnv('BACKUP_DAYS', days);
  const { id } = await createPerson();
  const before = Math.floor(environment.now() / 1000);
  await mutate('deleteUser', { id, erase: true });
  const { expiresAt } = (await read(erasureKey(id))) ?? {};
  expect(Math.floor((Number(expiresAt) - before) / (24 * 3600))).toBe(expected);
  vi.unstubAllEnvs();
});
