import { expect, test } from 'vitest';
import { DIRECTORY, userKey } from '../../../../lib/dynamodb/keys.ts';
import { withCapacityUsage } from '../../../../lib/dynamodb/requests.ts';
import { LiveReader } from '../../../../lib/features/change-log/live-reader.ts';
import { readLogEnd, readOrder } from '../../../../lib/features/change-log/order-log.ts';
import { allUsers, formatPosition, type Topic, userTopic } from '../../../../lib/features/change-log/topics.ts';
import { append, listIds, newChange } from './changes.ts';

function newUserChange(id: string) {
  const now = new Date().toISOString();
  const user = { name: 'Ada Lovelace', email: 'ada.lovelace@example.com', createdAt: now, updatedAt: now, version: 1 };
  return newChange(id, { item: { ...userKey(id), directory: DIRECTORY, ...user } });
}

async function appendChanges(count: number, id?: string): Promise<void> {
  await append(Array.from({ length: count }, () => newUserChange(id ?? crypto.randomUUID())));
}

/** Measures a poll that finds `changes` changes. */
async function measurePoll(streams: number | 'all users', changes: number) {
  await appendChanges(1);
  const reader = new LiveReader();
  const stop = new AbortController();
  const ids = Array.from({ length: streams === 'all users' ? 1 : streams }, () => crypto.randomUUID());
  const open = (topic: Topic) => reader.open(topic, stop.signal);
  const opened = await Promise.all(streams === 'all users' ? [open(allUsers)] : ids.map((id) => open(userTopic(id))));
  await append(Array.from({ length: changes }, (_, index) => newUserChange(ids[index % ids.length] ?? '')));
  const { used } = await withCapacityUsage(() => reader.poll());
  let delivered = 0;
  while (delivered < changes)
    for (const taken of await Promise.all(opened.slice(0, changes).map((stream) => stream.take())))
      delivered += taken.length;
  const { used: again } = await withCapacityUsage(() => reader.poll());
  stop.abort();
  return { delivered, ...used, again: again.readUnits };
}

/** lib/features/change-log/README.md contains these numbers. A reader polls once a second. */
test.each([
  { streams: 1, changes: 0, requests: 1, readUnits: 0.5 },
  { streams: 1, changes: 1, requests: 3, readUnits: 2 },
  { streams: 1, changes: 10, requests: 3, readUnits: 6.5 },
  { streams: 1, changes: 100, requests: 3, readUnits: 52 },
  { streams: 128, changes: 0, requests: 1, readUnits: 0.5 },
  { streams: 128, changes: 1, requests: 3, readUnits: 2 },
  { streams: 128, changes: 10, requests: 3, readUnits: 6.5 },
  { streams: 128, changes: 100, requests: 3, readUnits: 52 },
  { streams: 'all users' as const, changes: 0, requests: 1, readUnits: 0.5 },
  { streams: 'all users' as const, changes: 1, requests: 3, readUnits: 2 },
  { streams: 'all users' as const, changes: 10, requests: 3, readUnits: 6.5 },
  { streams: 'all users' as const, changes: 100, requests: 3, readUnits: 52 },
])(
  'with streams of $streams and $changes changes a second, a poll takes $readUnits units and reads nothing twice',
  async ({ streams, changes, ...cost }) => {
    expect(await measurePoll(streams, changes)).toEqual({
      delivered: changes,
      ...cost,
      writeUnits: 0,
      again: 0.5,
    });
  },
);

test.each([
  { changes: 10, readUnits: 0.5 },
  { changes: 100, readUnits: 1 },
])(
  'with $changes changes a second of users without streams, a poll takes $readUnits units',
  async ({ changes, readUnits }) => {
    const reader = new LiveReader();
    const stop = new AbortController();
    await reader.open(userTopic(crypto.randomUUID()), stop.signal);
    await appendChanges(changes);
    const { used } = await withCapacityUsage(() => reader.poll());
    stop.abort();
    expect(used).toEqual({ requests: 1, readUnits, writeUnits: 0 });
  },
);

test.each([
  { changes: 1, writeUnits: 2 },
  { changes: 50, writeUnits: 54 },
])('appending $changes changes of users together takes $writeUnits units', async ({ changes, writeUnits }) => {
  await appendChanges(1);
  const { used } = await withCapacityUsage(() => appendChanges(changes));
  expect(used).toEqual({ requests: changes + 1, readUnits: 0, writeUnits });
});

test('a redelivered batch reads the order log only up to its own entries', async () => {
  const redelivered = Array.from({ length: 150 }, () => newUserChange(crypto.randomUUID()));
  await append(redelivered);
  for (let entries = 0; entries < 300; entries++) await appendChanges(1);
  const isNew = newUserChange(crypto.randomUUID());
  const before = await readLogEnd();
  const { used } = await withCapacityUsage(() => append([...redelivered, isNew]));
  // A put per change, one query, and a put of the entry that names the new change.
  expect(used.requests).toBe(redelivered.length + 1 + 1 + 1);
  const appended = await Array.fromAsync(readOrder(formatPosition(before.number), { ConsistentRead: true }));
  expect(appended.flat().map(({ refs }) => listIds(refs))).toEqual([[isNew.id]]);
});
