import { afterAll, expect, test } from 'vitest';
import { handler } from '../../../../functions/on-change.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { allUsers } from '../../../../lib/features/change-log/topics.ts';
import { listIds, startSubscriber } from './changes.ts';

const stop = new AbortController();
afterAll(() => stop.abort());

/** `on-change` receives this record of a user that was created now. */
function newRecord(id: string, streamedAt: number) {
  const { pk, sk } = userKey(id);
  const keys = { pk: { S: pk }, sk: { S: sk } };
  return {
    eventName: 'INSERT' as const,
    dynamodb: {
      Keys: keys,
      NewImage: { ...keys, updatedAt: { S: new Date().toISOString() } },
      ApproximateCreationDateTime: streamedAt / 1000,
      SequenceNumber: '1',
    },
  };
}

// The log is empty: the number of its first entry follows from no earlier one.
test('a subscription from now on receives a change whose time in the stream is rounded down to the minute, as by DynamoDB Local', async () => {
  const id = crypto.randomUUID();
  const subscribers = await Promise.all(
    [undefined, new Date().toISOString()].map((after) => startSubscriber(allUsers, stop.signal, after)),
  );
  const next = Promise.all(subscribers.map(({ next }) => next()));
  await handler({ Records: [newRecord(id, Date.now() - 60_000)] });
  const later = crypto.randomUUID();
  // If the first change were missing, this one would be the first to arrive.
  await handler({ Records: [newRecord(later, Date.now())] });
  expect(listIds(await next)).toEqual([id, id]);
});
