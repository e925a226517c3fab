import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { table } from '../../../../lib/dynamodb/client.ts';
import { withCapacityUsage } from '../../../../lib/dynamodb/requests.ts';
import { SlowClient } from '../../../../lib/errors.ts';
import { LiveReader } from '../../../../lib/features/change-log/live-reader.ts';
import { StreamMemory } from '../../../../lib/features/change-log/stream-memory.ts';
import { live } from '../../../../lib/features/change-log/subscribe.ts';
import { allUsers, postsTopic, type Topic, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { append, newChange, startSubscriber } from './changes.ts';

let reader: LiveReader;
let stop: AbortController;
beforeEach(() => {
  reader = new LiveReader();
  live.reader = reader;
  stop = new AbortController();
});
afterEach(() => stop.abort());

const newIds = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
const open = (topic: Topic) => reader.open(topic, stop.signal);
const takeIds = async (stream: { take(): Promise<{ change: { id: string } | undefined }[]> }) =>
  (await stream.take()).map(({ change }) => change?.id);

test('each stream gets the changes of its user, of its author or of all users, in order', async () => {
  const [ada = '', bob = ''] = newIds(2);
  const streams = await Promise.all([userTopic(ada), userTopic(bob), postsTopic(ada), allUsers].map(open));
  await append([ada, bob, ada].map((id) => newChange(id)));
  const post = `${ada}.${crypto.randomUUID()}`;
  await append([newChange(post), newChange(bob)]);
  await reader.poll();
  expect(await Promise.all(streams.map(takeIds))).toEqual([[ada, ada], [bob, bob], [post], [ada, bob, ada, bob]]);
});

test('a stream gets a change once when two reads overlap', async () => {
  const stream = await open(allUsers);
  await append([newChange('ada')]);
  await Promise.all([reader.poll(), reader.poll()]);
  expect(await takeIds(stream)).toEqual(['ada']);
});

test('one read of the order log serves 128 waiting streams', async () => {
  const ids = newIds(128);
  const streams = await Promise.all(ids.map((id) => open(userTopic(id))));
  await append(ids.map((id) => newChange(id)));
  const taken = await Promise.all(streams.map((stream) => withCapacityUsage(() => takeIds(stream))));
  expect(taken.map(({ result }) => result)).toEqual(ids.map((id) => [id]));
  // The four requests are a query of the order log, two batch reads, and a query of pending erasures.
  expect(taken.reduce((sum, { used }) => sum + used.requests, 0)).toBe(4);
});

test('a second of 128 waiting streams does not combine signals for each stream', async () => {
  const ids = newIds(128);
  const streams = await Promise.all(ids.map((id) => open(userTopic(id))));
  const combine = vi.spyOn(AbortSignal, 'any');
  await Promise.all(streams.map((stream) => stream.take()));
  // Only the poll's request combines signals.
  expect(combine.mock.calls.length).toBeLessThan(10);
  combine.mockRestore();
});

test('polling stops when the last stream closes, and a waiting stream ends at once', async () => {
  const one = new AbortController();
  const stream = await reader.open(allUsers, one.signal);
  const waiting = stream.take();
  one.abort();
  expect(await waiting).toEqual([]);
  const { used } = await withCapacityUsage(() => reader.poll());
  expect(used.requests).toBe(0);
});

test.each(['before it opens', 'while it opens'])('a stream that is stopped %s is not followed', async (moment) => {
  const one = new AbortController();
  if (moment === 'before it opens') one.abort();
  const opening = reader.open(allUsers, one.signal);
  one.abort();
  expect(await (await opening).take()).toEqual([]);
  const { used } = await withCapacityUsage(() => reader.poll());
  expect(used.requests).toBe(0);
});

test('a stream that closes during a read holds no changes', async () => {
  const one = new AbortController();
  const [closed, other] = [await reader.open(allUsers, one.signal), await open(allUsers)];
  await append([newChange('ada')]);
  table.middlewareStack.add(
    (next) => async (args) => {
      if ('RequestItems' in args.input) one.abort();
      return next(args);
    },
    { step: 'initialize', name: 'close' },
  );
  await reader.poll();
  table.middlewareStack.remove('close');
  expect(await takeIds(other)).toEqual(['ada']);
  expect(await closed.take()).toEqual([]);
});

test('streams opened after a pause receive nothing from before', async () => {
  const one = new AbortController();
  await reader.open(allUsers, one.signal);
  one.abort();
  await append([newChange('before')]);
  const stream = await open(allUsers);
  await append([newChange('after')]);
  await reader.poll();
  expect(await takeIds(stream)).toEqual(['after']);
});

test('a hanging read is abandoned, and the next stream reads instead', async () => {
  vi.stubEnv('REQUEST_TIME_LIMIT_MS', '100');
  const [stream, other] = await Promise.all([open(allUsers), open(allUsers)]);
  await append([newChange('ada')]);
  let hangs = true;
  table.middlewareStack.add(
    (next) => (args) => {
      if (!hangs) return next(args);
      hangs = false;
      return new Promise(() => {});
    },
    { step: 'initialize', name: 'hang' },
  );
  const [first, second] = [stream, other].map(async (each) => {
    for (;;) {
      const ids = await takeIds(each);
      if (ids.length > 0) return ids;
    }
  });
  expect([await first, await second]).toEqual([['ada'], ['ada']]);
  table.middlewareStack.remove('hang');
});

describe('a stream that resumes', () => {
  /** Calls `run` between the first consistent query of the log and its answer. */
  function afterCatchUp(run: () => Promise<void>): void {
    table.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        const { ConsistentRead, Limit } = args.input as { ConsistentRead?: boolean; Limit?: number };
        if (ConsistentRead && Limit !== 1) {
          table.middlewareStack.remove('after');
          await run();
        }
        return result;
      },
      { step: 'initialize', name: 'after' },
    );
  }
  afterEach(() => void table.middlewareStack.remove('after'));

  test.each([
    ['one user', userTopic],
    ['all users', () => allUsers],
  ])('receives changes appended while it reads the log of %s once, after those it has read', async (_, createTopic) => {
    const [id = ''] = newIds(1);
    const topic = createTopic(id);
    const start = new Date(Date.now() - 60_000).toISOString();
    const earlier = newChange(id, { version: 1 });
    await append([earlier]);
    // Another stream keeps the reader polling, so it delivers version 2, which the resuming stream's query reads as
    // well.
    await open(topic);
    await append([newChange(id, { version: 2 })]);
    afterCatchUp(async () => {
      await append([newChange(id, { version: 3 })]);
      await reader.poll();
    });
    const subscriber = await startSubscriber(topic, stop.signal, start);
    const versions: number[] = [];
    // Skips other ids, because the log also contains changes of other tests.
    const takeUpTo = async (version: number) => {
      while (versions.at(-1) !== version) {
        const change = await subscriber.next();
        if (change.id === id) versions.push(Number(change.version));
      }
    };
    await takeUpTo(3);
    await append([newChange(id, { version: 4 })]);
    await takeUpTo(4);
    expect(versions).toEqual([1, 2, 3, 4]);
  });
});

test('a stream with a slow client ends, and others continue', async () => {
  sizes.undeliveredChanges = 2;
  const [slow, quick] = await Promise.all([open(allUsers), open(allUsers)]);
  await append([newChange('a'), newChange('b')]);
  await reader.poll();
  expect(await takeIds(quick)).toEqual(['a', 'b']);
  await append([newChange('c')]);
  await reader.poll();
  expect(await takeIds(quick)).toEqual(['c']);
  await expect(slow.take()).rejects.toThrow(SlowClient);
  sizes.undeliveredChanges = 10_000;
});

test('when undelivered changes exceed the memory limit, the streams with the oldest changes end', async () => {
  reader = new LiveReader(new StreamMemory(5_000));
  const [ada = '', bob = ''] = newIds(2);
  const [slow, quick] = await Promise.all([open(userTopic(ada)), open(userTopic(bob))]);
  const change = (id: string) => newChange(id, { item: { pk: `USER#${id}`, name: 'x'.repeat(2_000) } });
  await append([change(ada), change(ada)]);
  await reader.poll();
  await append([change(bob)]);
  await reader.poll();
  expect(await takeIds(quick)).toEqual([bob]);
  await expect(slow.take()).rejects.toThrow(SlowClient);
});

test('a stream that takes its changes may receive any number of them', async () => {
  reader = new LiveReader(new StreamMemory(5_000));
  const [id = ''] = newIds(1);
  const stream = await open(userTopic(id));
  for (let round = 0; round < 4; round++) {
    await append([newChange(id, { item: { pk: `USER#${id}`, name: 'x'.repeat(2_000) } })]);
    await reader.poll();
    expect(await takeIds(stream)).toEqual([id]);
  }
});
