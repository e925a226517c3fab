import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appendPostChange, appendUserChanges } from '../../../lib/change-log/append.ts';
import { subscribe } from '../../../lib/change-log/subscribe.ts';
import { allUsers, postsTopic, userTopic } from '../../../lib/change-log/topics.ts';
import { listIds, newChange, startSubscriber } from './changes.ts';

const head = { number: 0 };
let stop: AbortController;
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => stop.abort());

describe('the log of all users', () => {
  test('a subscriber receives the changes of all users in the order of the log', async () => {
    const subscriber = startSubscriber(allUsers, stop.signal);
    await appendUserChanges([newChange('ada'), newChange('bob')], head);
    await appendUserChanges([newChange('eve')], head);
    expect(listIds(await subscriber.take(3))).toEqual(['ada', 'bob', 'eve']);
  });

  test('a subscriber that resumes after any change, also amid an entry, receives the rest without gaps or duplicates', async () => {
    const subscriber = startSubscriber(allUsers, stop.signal);
    const entries = [['a1'], ['b1', 'b2', 'b3', 'b4'], ['c1', 'c2', 'c3']];
    for (const entry of entries)
      await appendUserChanges(
        entry.map((id) => newChange(id)),
        head,
      );
    const ids = entries.flat();
    const received = await subscriber.take(ids.length);
    expect(listIds(received)).toEqual(ids);
    for (let index = 0; index < ids.length - 1; index++) {
      const rest = ids.slice(index + 1);
      expect(listIds(await startSubscriber(allUsers, stop.signal, received[index]?.cursor).take(rest.length))).toEqual(
        rest,
      );
    }
  });

  test('environments that append at the same time lose and repeat nothing', async () => {
    const subscriber = startSubscriber(allUsers, stop.signal);
    const environments = ['a', 'b', 'c', 'd'].map((name) => ({
      head: { number: 0 },
      ids: Array.from({ length: 10 }, (_, index) => `${name}${index}`),
    }));
    await Promise.all(
      environments.map(async ({ head, ids }) => {
        for (const id of ids) await appendUserChanges([newChange(id)], head);
      }),
    );
    const ids = environments.flatMap(({ ids }) => ids);
    expect(listIds(await subscriber.take(ids.length)).sort()).toEqual(ids);
  });

  test('a subscriber without a cursor receives nothing that was streamed before it began', async () => {
    const before = Date.now() - 2_000;
    await appendUserChanges([newChange('before', { streamedAt: before, at: new Date(before).toISOString() })], head);
    const subscriber = startSubscriber(allUsers, stop.signal);
    await appendUserChanges([newChange('after')], head);
    expect((await subscriber.next()).id).toBe('after');
  });
});

describe('the log of one user', () => {
  test('a subscriber receives the changes of that user only', async () => {
    const subscriber = startSubscriber(userTopic('one'), stop.signal);
    await appendUserChanges([newChange('one'), newChange('two'), newChange('one', { kind: 'DELETED' })], head);
    expect((await subscriber.take(2)).map(({ kind }) => kind)).toEqual(['UPDATED', 'DELETED']);
  });

  test('a subscriber without a cursor starts now, and one with a time at that time', async () => {
    const minuteAgo = new Date(Date.now() - 60_000).toISOString();
    const old = Date.now() - 30_000;
    await appendUserChanges([newChange('old', { at: new Date(old).toISOString(), streamedAt: old })], head);
    const fromNow = startSubscriber(userTopic('old'), stop.signal);
    await appendUserChanges([newChange('old', { kind: 'DELETED' })], head);
    expect((await fromNow.next()).kind).toBe('DELETED');
    expect((await startSubscriber(userTopic('old'), stop.signal, minuteAgo).next()).kind).toBe('UPDATED');
  });
});

describe("the log of an author's posts", () => {
  test('a subscriber receives the changes to the posts of that author only', async () => {
    const subscriber = startSubscriber(postsTopic('ada'), stop.signal);
    for (const [userId, id] of [
      ['ada', 'first'],
      ['bob', 'other'],
      ['ada', 'second'],
    ])
      await appendPostChange(newChange(`${id}`, { entity: 'post', userId: `${userId}` }));
    expect(listIds(await subscriber.take(2))).toEqual(['first', 'second']);
  });
});

test('a subscription ends when it is stopped while it waits', async () => {
  const next = subscribe(allUsers, undefined, stop.signal).next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});
