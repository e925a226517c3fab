import { afterAll, expect, test } from 'vitest';
import { handler } from '../../../../functions/on-change.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { allUsers } from '../../../../lib/features/change-log/topics.ts';
import { listIds, startSubscriber } from './changes.ts';

const stop = new AbortController();
afterAll(() => stop.abort());

/** Creates the stream record of a new user. `streamedAt` in ms. */
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

// The test needs an empty log, because there the first entry's number depends only on its stream time.
test('a new subscription receives a change although DynamoDB Local rounds its stream time down to the minute', async () => {
  const id = crypto.randomUUID();
  const subscribers = await Promise.all(
    [undefined, new Date().toISOString()].map((after) => startSubscriber(allUsers, stop.signal, after)),
  );
  const next = Promise.all(subscribers.map(({ next }) => next()));
  await handler({ Records: [newRecord(id, Date.now() - 60_000)] });
  const later = crypto.randomUUID();
  // A stream that skipped the first change would receive this one instead.
  await handler({ Records: [newRecord(later, Date.now())] });
  expect(listIds(await next)).toEqual([id, id]);
});
