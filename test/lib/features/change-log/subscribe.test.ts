import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { environment } from '../../../../lib/environment.ts';
import { encodeLogCursor } from '../../../../lib/features/change-log/cursor.ts';
import { subscribe } from '../../../../lib/features/change-log/subscribe.ts';
import { allUsers, formatPosition, postsTopic, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { append, listIds, newChange, newEnd, startSubscriber } from './changes.ts';

const { now } = environment;
let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => {
  environment.now = now;
  stop.abort();
});

describe('the log of all users', () => {
  test('a subscriber receives the changes of all users in the order of the log', async () => {
    const subscriber = await startSubscriber(allUsers, stop.signal);
    await append([newChange('ada'), newChange('bob')]);
    await append([newChange('eve')]);
    expect(listIds(await subscriber.take(3))).toEqual(['ada', 'bob', 'eve']);
  });

  test('a subscriber that resumes after any change, also within an entry, receives the rest without gaps or duplicates', async () => {
    const subscriber = await startSubscriber(allUsers, stop.signal);
    const entries = [['a1'], ['b1', 'b2', 'b3', 'b4'], ['c1', 'c2', 'c3']];
    for (const entry of entries) await append(entry.map((id) => newChange(id)));
    const ids = entries.flat();
    const received = await subscriber.take(ids.length);
    expect(listIds(received)).toEqual(ids);
    for (let index = 0; index < ids.length - 1; index++) {
      const rest = ids.slice(index + 1);
      const resumed = await startSubscriber(allUsers, stop.signal, received[index]?.cursor);
      expect(listIds(await resumed.take(rest.length))).toEqual(rest);
    }
  });

  test('environments that append in parallel lose and repeat nothing', async () => {
    const subscriber = await startSubscriber(allUsers, stop.signal);
    const environments = ['a', 'b', 'c', 'd'].map((name) => ({
      end: newEnd(),
      ids: Array.from({ length: 10 }, (_, index) => `${name}${index}`),
    }));
    await Promise.all(
      environments.map(async ({ end, ids }) => {
        for (const id of ids) await append([newChange(id)], end);
      }),
    );
    const ids = environments.flatMap(({ ids }) => ids);
    expect(listIds(await subscriber.take(ids.length)).sort()).toEqual(ids);
  });

  test.each([
    ['a user', userTopic('forged'), 'forged'],
    ['the posts of a user', postsTopic('forged'), 'forged.post'],
  ])(
    'a forged cursor of %s shows changes of the last two days only, as histories require another right',
    async (_, topic, id) => {
      const hour = 3_600_000;
      for (const [at, version] of [
        [environment.now() - 50 * hour, 1],
        [environment.now() - 48 * hour, 2],
      ] as const)
        await append([newChange(id, { at: new Date(at).toISOString(), streamedAt: at, version })]);
      const forged = encodeLogCursor(topic, {
        since: 0,
        at: environment.now(),
        watermark: formatPosition(0),
        offset: 0,
      });
      expect((await (await startSubscriber(topic, stop.signal, forged)).next()).version).toBe(2);
    },
  );

  test('a subscriber without a cursor receives nothing streamed before it began', async () => {
    const before = Date.now() - 2_000;
    await append([newChange('before', { streamedAt: before, at: new Date(before).toISOString() })]);
    const subscriber = await startSubscriber(allUsers, stop.signal);
    await append([newChange('after')]);
    expect((await subscriber.next()).id).toBe('after');
  });
});

test.each([
  ['all users', allUsers, 'writing'],
  ["an author's posts", postsTopic('writing'), 'writing.post'],
])('a write in progress when a subscription to %s starts is delivered', async (_, topic, id) => {
  const at = new Date(Date.now() - 100).toISOString();
  const subscriber = await startSubscriber(topic, stop.signal);
  await append([newChange(id, { at, streamedAt: Math.floor(Date.now() / 1000) * 1000 })]);
  await append([newChange(id, { version: 2 })]);
  expect((await subscriber.next()).version).toBe(1);
});

test.each([
  ['all users', allUsers],
  ['a user', userTopic('quiet')],
])('a subscriber to %s may resume where its last stream started, also after days without changes', async (_, topic) => {
  let time = Date.now();
  let after = (await subscribe(topic, undefined, stop.signal)).start;
  for (let reconnects = 0; reconnects < 4; reconnects++) {
    time += 20 * 3_600_000;
    environment.now = () => time;
    after = (await subscribe(topic, after, stop.signal)).start;
  }
  await append([newChange('quiet', { at: new Date(time).toISOString(), streamedAt: time })], newEnd());
  const missed = (await subscribe(topic, after, stop.signal)).start;
  expect((await (await startSubscriber(topic, stop.signal, missed)).next()).id).toBe('quiet');
  time += 25 * 3_600_000;
  await expect(subscribe(topic, missed, stop.signal)).rejects.toThrow('after: is too old');
});

test('a subscriber to all users resumes where its last stream started, although only posts change for days', async () => {
  let time = Date.now();
  let after = (await subscribe(allUsers, undefined, stop.signal)).start;
  const change = (id: string) => newChange(id, { at: new Date(time).toISOString(), streamedAt: time });
  for (let reconnects = 0; reconnects < 4; reconnects++) {
    time += 20 * 3_600_000;
    environment.now = () => time;
    await append([change('author.one'), change('author.two')], newEnd());
    after = (await subscribe(allUsers, after, stop.signal)).start;
  }
  await append([change('author.three'), change('ada')], newEnd());
  expect((await (await startSubscriber(allUsers, stop.signal, after)).next()).id).toBe('ada');
});

describe('the log of one user', () => {
  test('a subscriber receives the changes of that user only', async () => {
    const subscriber = await startSubscriber(userTopic('one'), stop.signal);
    await append([newChange('one'), newChange('two'), newChange('one', { kind: 'DELETED' })]);
    expect((await subscriber.take(2)).map(({ kind }) => kind)).toEqual(['UPDATED', 'DELETED']);
  });

  test('a subscriber without a cursor starts now, and one with a time starts at that time', async () => {
    const minuteAgo = new Date(Date.now() - 60_000).toISOString();
    const old = Date.now() - 30_000;
    await append([newChange('old', { at: new Date(old).toISOString(), streamedAt: old })]);
    const fromNow = await startSubscriber(userTopic('old'), stop.signal);
    await append([newChange('old', { kind: 'DELETED' })]);
    expect((await fromNow.next()).kind).toBe('DELETED');
    expect((await (await startSubscriber(userTopic('old'), stop.signal, minuteAgo)).next()).kind).toBe('UPDATED');
  });
});

describe("the log of an author's posts", () => {
  test('a subscriber receives the changes to the posts of that author only', async () => {
    const subscriber = await startSubscriber(postsTopic('ada'), stop.signal);
    await append(['ada.first', 'bob.other', 'ada.second'].map((id) => newChange(id)));
    expect(listIds(await subscriber.take(2))).toEqual(['ada.first', 'ada.second']);
  });
});

test('a subscription ends when it is stopped while waiting', async () => {
  const next = (await subscribe(allUsers, undefined, stop.signal)).next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
