import { expect, test } from 'vitest';
import { type LogPosition, readChanges } from '../../../lib/change-log/read.ts';
import { allUsers, MIN_POSITION, type Topic, userTopic } from '../../../lib/change-log/topics.ts';
import { withCapacityUsage } from '../../../lib/dynamodb/capacity.ts';
import { DIRECTORY, userKey } from '../../../lib/dynamodb/keys.ts';
import { append, newChange } from './changes.ts';

/** A change as large as that of a user with a usual name and address. */
function newUserChange(id: string) {
  const now = new Date().toISOString();
  const user = { name: 'Ada Lovelace', email: 'ada.lovelace@example.com', createdAt: now, updatedAt: now, version: 1 };
  return newChange(id, { item: { ...userKey(id), directory: DIRECTORY, ...user } });
}

async function appendChanges(count: number, id?: string): Promise<void> {
  await append(Array.from({ length: count }, () => newUserChange(id ?? crypto.randomUUID())));
}

async function poll(topic: Topic, start: LogPosition) {
  let position = start;
  let count = 0;
  const { used } = await withCapacityUsage(async () => {
    for await (const each of readChanges(topic, start)) {
      position = each.position;
      count++;
    }
  });
  return { position, count, ...used };
}

const START: LogPosition = { watermark: MIN_POSITION, offset: 0 };

/** These are the costs of lib/change-log/README.md. A poll comes once a second. */
test.each([
  { changes: 0, requests: 1, readUnits: 0.5 },
  { changes: 1, requests: 2, readUnits: 1 },
  { changes: 10, requests: 2, readUnits: 5.5 },
  { changes: 100, requests: 2, readUnits: 51 },
])(
  'at $changes changes a second, a poll of the log of all users takes $readUnits units',
  async ({ changes, ...cost }) => {
    await appendChanges(1);
    const { position } = await poll(allUsers, START);
    await appendChanges(changes);
    expect(await poll(allUsers, position)).toMatchObject({ count: changes, ...cost });
  },
);

test.each([
  { changes: 0, requests: 1, readUnits: 0.5 },
  { changes: 1, requests: 2, readUnits: 1.5 },
  { changes: 10, requests: 2, readUnits: 2.5 },
  { changes: 100, requests: 2, readUnits: 11.5 },
])(
  'at $changes changes a second, a poll of the log of one user takes $readUnits units',
  async ({ changes, ...cost }) => {
    const id = crypto.randomUUID();
    await appendChanges(changes, id);
    expect(await poll(userTopic(id), START)).toMatchObject({ count: changes, ...cost });
  },
);

test('a poll reads nothing again', async () => {
  await appendChanges(100);
  const { position } = await poll(allUsers, START);
  expect(await poll(allUsers, position)).toMatchObject({ count: 0, readUnits: 0.5 });
});

test.each([
  { changes: 1, writeUnits: 2 },
  { changes: 50, writeUnits: 54 },
])('appending $changes changes of users at once takes $writeUnits units', async ({ changes, writeUnits }) => {
  await appendChanges(1);
  const { used } = await withCapacityUsage(() => appendChanges(changes));
  expect(used).toEqual({ requests: changes + 1, readUnits: 0, writeUnits });
});
