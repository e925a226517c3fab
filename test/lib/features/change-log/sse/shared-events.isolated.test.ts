import { afterEach, expect, test, vi } from 'vitest';

Object.assign(process.env, { MAX_STREAMS: '128', MAX_STREAMS_PER_CALLER: '64' });
const { table } = await import('../../../../../lib/dynamodb/client.ts');
const { putItems } = await import('../../../../../lib/dynamodb/batch.ts');
const { newPostKey } = await import('../../../../../lib/dynamodb/keys.ts');
const { LiveReader } = await import('../../../../../lib/features/change-log/live-reader.ts');
const { acquireEvent, copyEvent, CURSOR, releaseEvent } = await import(
  '../../../../../lib/features/change-log/sse/shared-events.ts'
);
const { StreamMemory } = await import('../../../../../lib/features/change-log/stream-memory.ts');
const { live } = await import('../../../../../lib/features/change-log/subscribe.ts');
const { createUser } = await import('../../../../setup/create-user.ts');
const { newPerson } = await import('../../../../setup/test-data.ts');
const { append, newChange } = await import('../changes.ts');
const { readEvents, requestSubscription } = await import('./sse-client.ts');

afterEach(() => void vi.restoreAllMocks());

type Changed = { data: { userChanged: { cursor: string; user: { posts: { title: string }[] } } } };

test('16 identical subscriptions execute once per change, and each receives its own cursor', async () => {
  const user = await createUser(newPerson());
  const posts = Array.from({ length: 3 }, (_, at) => ({
    ...newPostKey(user.id, `0189000${at}-0000-7000-8000-000000000000`),
    title: 'x',
  }));
  await putItems(posts);
  const document = (variables: string, argument: string) => `subscription ($id: ID!${variables}) {
    userChanged(id: $id${argument}) { cursor user { posts { title author { posts { title } } } } }
  }`;
  const streams = [];
  for (let count = 0; count < 16; count++) {
    // The streams differ only in `after`.
    const after = new Date(Date.now() - count).toISOString();
    const [query, variables] =
      count % 2 === 0
        ? [document('', `, after: "${after}"`), {}]
        : [document(', $after: ID', ', after: $after'), { after }];
    streams.push(await requestSubscription(query, { id: user.id, ...variables }));
  }
  const requests = vi.spyOn(table, 'send');
  const { id, ...fields } = user;
  const item = { ...fields, pk: `USER#${id}`, name: 'Renamed', version: 2 };
  await append([newChange(id, { version: 2, item })]);
  const events = await Promise.all(streams.map(async (stream) => (await readEvents(stream).next()).value as Changed));
  expect(new Set(events.map(({ data }) => data.userChanged.cursor)).size).toBeGreaterThan(1);
  for (const { data } of events) expect(data.userChanged.user.posts).toHaveLength(3);
  const readsOfPosts = requests.mock.calls.filter(([{ input }]) => JSON.stringify(input).includes('POST$'));
  expect(readsOfPosts).toHaveLength(1);
  for (const { disconnect } of streams) await disconnect();
});

test('a subscriber who omits a variable gets its default, and one who sends null gets none', async () => {
  const user = await createUser(newPerson());
  const keys = [1, 2, 3].map((at) => newPostKey(user.id, `0189000${at}-0000-7000-8000-000000000000`));
  await putItems(keys.map((key) => ({ ...key, title: 'x' })));
  const query = 'subscription ($id: ID!, $n: Int = 1) { userChanged(id: $id) { user { posts(first: $n) { title } } } }';
  const streams = [];
  for (const variables of [{}, { n: null }, { n: 2 }])
    streams.push(await requestSubscription(query, { id: user.id, ...variables }));
  const { id, ...fields } = user;
  await append([newChange(id, { version: 2, item: { ...fields, pk: `USER#${id}`, name: 'Renamed', version: 2 } })]);
  const events = await Promise.all(streams.map(async (stream) => (await readEvents(stream).next()).value as Changed));
  expect(events.map(({ data }) => data.userChanged.user.posts.length)).toEqual([1, 3, 2]);
  for (const { disconnect } of streams) await disconnect();
});

test('a stream sends at most a megabyte in its first second and in each later one', async () => {
  const user = await createUser(newPerson());
  const keys = Array.from({ length: 42 }, (_, at) =>
    newPostKey(user.id, `018900${10 + at}-0000-7000-8000-000000000000`),
  );
  await putItems(keys.map((key) => ({ ...key, title: '🦊'.repeat(256) })));
  const stream = await requestSubscription(
    'subscription ($id: ID!) { userChanged(id: $id) { user { posts { author { posts { title } } } } } }',
    { id: user.id },
  );
  const { id, ...fields } = user;
  const item = { ...fields, pk: `USER#${id}`, name: 'Renamed', version: 2 };
  await append([newChange(id, { version: 2, item })]);
  let [bytes, start] = [0, 0];
  let text = '';
  for await (const chunk of stream.body) {
    if (bytes < 100) start = performance.now();
    bytes += chunk.length;
    text = `${text}${chunk}`.slice(-2);
    if (bytes > 100 && text === '\n\n') break;
  }
  expect(bytes).toBeGreaterThan(1_700_000);
  expect(performance.now() - start).toBeGreaterThan((bytes / 1_000_000 - 1) * 1_000 - 200);
  await stream.disconnect();
});

test('a copied event has the cursor wherever the operation selects it, in chunks of 64 kB', async () => {
  const text = `${CURSOR}${'ä🦊'.repeat(20_000)}${CURSOR}${CURSOR}`;
  const event = await acquireEvent('copied', { end() {} }, async () => ({ data: { text } }));
  for (const cursor of ['x', 'x'.repeat(200_000)]) {
    const chunks = [...copyEvent(event, cursor)];
    const data = JSON.stringify({ data: { text: text.replaceAll(CURSOR, cursor) } });
    expect(String(Buffer.concat(chunks))).toBe(`event: next\ndata: ${data}\n\n`);
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(64 * 1024);
  }
});

test('an operation is executed again once no stream holds the event, and after a failure', async () => {
  const [one, other] = [{ end() {} }, { end() {} }];
  const execute = vi.fn(async () => ({}));
  const event = await acquireEvent('key', one, execute);
  await acquireEvent('key', other, execute);
  releaseEvent('key', event, one);
  await acquireEvent('key', one, execute);
  expect(execute).toHaveBeenCalledTimes(1);
  for (const holder of [one, other]) releaseEvent('key', event, holder);
  execute.mockRejectedValueOnce(new Error('failed'));
  await expect(acquireEvent('key', one, execute)).rejects.toThrow('failed');
  await acquireEvent('key', one, execute);
  expect(execute).toHaveBeenCalledTimes(3);
});

test('at most four operations are executed in parallel', async () => {
  let [running, most] = [0, 0];
  const execute = async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    return {};
  };
  await Promise.all(Array.from({ length: 20 }, (_, key) => acquireEvent(String(key), { end() {} }, execute)));
  expect(most).toBe(4);
});

test('when events exceed the memory limit, the streams with the oldest events end', async () => {
  live.reader = new LiveReader(new StreamMemory(1_200));
  const holders = Array.from({ length: 4 }, () => ({ end: vi.fn() }));
  const text = 'x'.repeat(400);
  // Event a is shared and counts once: 431 of 1,200 bytes. Event c exceeds the limit.
  for (const [at, key] of ['a', 'a', 'b', 'c'].entries())
    await acquireEvent(key, holders[at] ?? { end() {} }, async () => ({ text }));
  expect(holders.map(({ end }) => end.mock.calls.length)).toEqual([1, 1, 0, 0]);
});
