import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { append } from '../../lib/change-log/append.ts';
import type { Change } from '../../lib/change-log/change.ts';
import { MAX_SEEN_IDS } from '../../lib/change-log/cursor.ts';
import { follow, type LoggedChange } from '../../lib/change-log/follow.ts';
import { allUsers, nextUsersPosition, userTopic } from '../../lib/change-log/topics.ts';
import { changeKey } from '../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';

let over = new AbortController();
afterEach(() => {
  over.abort();
  over = new AbortController();
});

function following(topic: typeof allUsers, after?: string) {
  const changes = follow(topic, after, over.signal);
  return {
    async next(): Promise<LoggedChange> {
      const { value } = await changes.next();
      return value;
    },
    async take(count: number): Promise<string[]> {
      const taken: string[] = [];
      while (taken.length < count) taken.push((await this.next()).id);
      return taken;
    },
  };
}

const made = (topic: string, watermark: string) =>
  Buffer.from(JSON.stringify([topic, 0, Date.now(), watermark])).toString('base64url');

let sequence = 1000;
const changeTo = (id: string, userId = id): Change => ({
  entity: 'user',
  kind: 'UPDATED',
  id,
  userId,
  at: new Date().toISOString(),
  streamedAt: 0,
  item: null,
  sequence: String(sequence++).padStart(40, '0'),
});

/** A change that got its place `ms` ago and only now becomes visible. */
const appendLate = (id: string, ms: number) => {
  const place = `${(Date.now() - ms).toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-${Math.random().toString(16).slice(2, 14).padEnd(12, '0')}`;
  const { partition } = nextUsersPosition();
  const { entity, sequence, ...change } = changeTo(id);
  return table.send(new PutCommand({ TableName, Item: { ...changeKey(partition, place), change } }));
};

describe('the log of all users', () => {
  test('a change that becomes visible behind a later one is not lost, and comes once', async () => {
    const reader = following(allUsers);
    await append(changeTo('late-1'));
    const first = await reader.next();
    await appendLate('late-0', 1_500);
    const second = await reader.next();
    expect([first.id, second.id]).toEqual(['late-1', 'late-0']);

    await append(changeTo('late-2'));
    expect(await reader.next()).toMatchObject({ id: 'late-2' });
    expect(await following(allUsers, first.cursor).take(2)).toEqual(['late-0', 'late-2']);
    expect(await following(allUsers, second.cursor).take(1)).toEqual(['late-2']);
  });

  test('whoever resumes behind any change of a burst gets what followed it, in order', async () => {
    const reader = following(allUsers);
    const ids = Array.from({ length: 30 }, (_, at) => `burst-${at}`);
    for (const id of ids) await append(changeTo(id));
    const read: LoggedChange[] = [];
    while (read.length < ids.length) read.push(await reader.next());
    expect(read.map(({ id }) => id)).toEqual(ids);
    for (const at of [0, 13, 28]) {
      const rest = ids.slice(at + 1);
      expect(await following(allUsers, read[at]?.cursor).take(rest.length)).toEqual(rest);
    }
  });

  test('more changes at once than a cursor names all come, though some later', { timeout: 40_000 }, async () => {
    const reader = following(allUsers);
    const ids = Array.from({ length: MAX_SEEN_IDS + 40 }, (_, at) => `many-${at}`);
    await Promise.all(ids.map((id) => append(changeTo(id))));
    expect((await reader.take(ids.length)).sort()).toEqual([...ids].sort());
  });

  test('whoever is told to stop stops, also while nothing changes', async () => {
    const changes = follow(allUsers, undefined, over.signal);
    const next = changes.next();
    over.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe('the log of one user', () => {
  test('holds the changes of that user only, in the order of the stream', async () => {
    const reader = following(userTopic('ada'));
    for (const id of ['ada', 'bob', 'ada']) await append({ ...changeTo(id), at: new Date().toISOString() });
    expect(await reader.take(2)).toEqual(['ada', 'ada']);
  });

  test('a change delivered twice by the stream is logged once', async () => {
    const reader = following(userTopic('eve'));
    const change = changeTo('eve');
    await append(change);
    await append(change);
    await append({ ...changeTo('eve'), kind: 'DELETED' });
    expect([(await reader.next()).kind, (await reader.next()).kind]).toEqual(['UPDATED', 'DELETED']);
  });

  test('a subscription without a cursor begins with now, and one from a time with that time', async () => {
    const before = new Date(Date.now() - 60_000).toISOString();
    await append({ ...changeTo('old'), at: new Date(Date.now() - 30_000).toISOString() });
    const fromNow = following(userTopic('old'));
    await append({ ...changeTo('old'), kind: 'DELETED' });
    expect((await fromNow.next()).kind).toBe('DELETED');
    expect((await following(userTopic('old'), before).next()).kind).toBe('UPDATED');
  });
});

describe('what is no cursor', () => {
  const day = 24 * 3600_000;
  test.each([
    ['nonsense', 'no cursor'],
    ['nothing', Buffer.from('[]').toString('base64url')],
    ['a time before what is kept', new Date(Date.now() - day - 60_000).toISOString()],
    ['a place that no stream gave', made('USER#x', 'zzz')],
  ])('%s is refused', (_, after) => {
    expect(() => follow(userTopic('x'), after, over.signal)).toThrow(/after/);
  });

  test.each([
    ['before all that is kept, where years of hours would be read', '00000000-0000'],
    ['behind all that will come, where nothing would be sent', 'ffffffff-ffff'],
    ['that is none', 'zzz'],
    ['that is empty', ''],
  ])('a hand-made cursor at a place %s is refused', (_, watermark) => {
    expect(() => follow(allUsers, made('USERS', watermark), over.signal)).toThrow(/after/);
  });

  test('a time to come counts as now', async () => {
    const reader = following(userTopic('early'), '9999-12-31T23:59:59Z');
    await append({ ...changeTo('early'), at: new Date(Date.now() + 1000).toISOString() });
    expect((await reader.next()).id).toBe('early');
  });

  test('a cursor of another subscription is refused', async () => {
    const reader = following(userTopic('one'));
    await append(changeTo('one'));
    const { cursor } = await reader.next();
    expect(() => follow(userTopic('other'), cursor, over.signal)).toThrow('must be a cursor of this subscription');
  });
});
