import { setTimeout as sleep } from 'node:timers/promises';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { changeKey } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/client.ts';
import { type Cursor, decode, encode, from, MAX_SEEN_IDS } from './cursor.ts';
import { type Topic, idSuffix } from './topics.ts';

const entry = z.object({
  sk: z.string(),
  change: z.object({
    kind: z.enum(['CREATED', 'UPDATED', 'DELETED']),
    id: z.string(),
    at: z.string(),
    streamedAt: z.number().default(0),
    item: z.record(z.string(), z.unknown()).nullable(),
  }),
});

type Entry = z.infer<typeof entry>;
export type LoggedChange = Entry['change'] & { cursor: string };

const POLL_EVERY = 1_000;

type IsNew = (change: Entry['change']) => boolean;

/** Before a subscription began, in ms, for whoever knows better than by time what is new to it. */
const LOOK_BACK = 60_000;

/**
 * The changes of a topic behind a cursor, or from now on, in order, each once, until told to stop. Throws `invalid`.
 * What is new "from now on" goes by time, unless `isNew` knows better.
 */
export function follow(
  topic: Topic,
  after: string | null | undefined,
  stop: AbortSignal,
  isNew?: IsNew,
): AsyncGenerator<LoggedChange> {
  const start = after ? decode(topic, after) : from(topic, Date.now() - (isNew ? LOOK_BACK : 0));
  return poll(topic, start, stop, isNew ?? (() => true));
}

async function* poll(topic: Topic, cursor: Cursor, stop: AbortSignal, isNew: IsNew): AsyncGenerator<LoggedChange> {
  const { since, seen } = cursor;
  let { watermark } = cursor;
  while (!stop.aborted) {
    const now = Date.now();
    const stableUpTo = topic.stableUpTo(now);
    for await (const { sk, change } of readEntries(topic, watermark, now)) {
      if (sk > stableUpTo && seen.size >= MAX_SEEN_IDS) break;
      const tail = idSuffix(sk);
      const isUnsent = !seen.has(tail);
      if (sk > stableUpTo) seen.add(tail);
      else {
        watermark = sk;
        seen.delete(tail);
      }
      const at = Date.parse(change.at);
      if (isUnsent && Math.max(at, change.streamedAt) >= since && isNew(change))
        yield { ...change, cursor: encode(topic, { since, at, watermark, seen }) };
    }
    // All up to there has been read, and no more can come: a quiet log need not be read from long ago.
    if (stableUpTo > watermark && topic.isWatermark(stableUpTo, now)) watermark = stableUpTo;
    // To be told to stop is no failure.
    await sleep(POLL_EVERY, undefined, { signal: stop }).catch(() => {});
  }
}

async function* readEntries(topic: Topic, watermark: string, now: number): AsyncGenerator<Entry> {
  for (const partition of topic.partitions(watermark, now)) {
    const { pk } = changeKey(partition, watermark);
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk > :floor',
      // No place is empty, so behind every place is behind a space.
      ExpressionAttributeValues: { ':pk': pk, ':floor': watermark || ' ' },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: table }, query))
      yield* Items.map((item) => entry.parse(item));
  }
}
