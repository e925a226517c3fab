import { setTimeout as sleep } from 'node:timers/promises';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { changeKey } from '../keys.ts';
import { TableName, table } from '../table.ts';
import { type Cursor, decode, encode, from, MOST_UNSETTLED } from './cursor.ts';
import { type Topic, tailOf } from './topics.ts';

const entry = z.object({
  sk: z.string(),
  change: z.object({
    kind: z.enum(['CREATED', 'UPDATED', 'DELETED']),
    id: z.string(),
    at: z.string(),
    item: z.record(z.string(), z.unknown()).nullable(),
  }),
});

type Entry = z.infer<typeof entry>;
export type LoggedChange = Entry['change'] & { cursor: string };

const POLL_EVERY = 1_000;

/** The changes of a topic behind a cursor, or from now on, in order, each once, until told to stop. Throws `invalid`. */
export function follow(
  topic: Topic,
  after: string | null | undefined,
  stop: AbortSignal,
): AsyncGenerator<LoggedChange> {
  return poll(topic, after ? decode(topic, after) : from(topic, Date.now()), stop);
}

async function* poll(topic: Topic, { since, floor, sent }: Cursor, stop: AbortSignal): AsyncGenerator<LoggedChange> {
  let place = floor;
  while (!stop.aborted) {
    const now = Date.now();
    const settled = topic.settled(now);
    for await (const { sk, change } of entriesBehind(topic, place, now)) {
      if (sk > settled && sent.size >= MOST_UNSETTLED) break;
      const tail = tailOf(sk);
      const isNew = !sent.has(tail);
      if (sk > settled) sent.add(tail);
      else {
        place = sk;
        sent.delete(tail);
      }
      const at = Date.parse(change.at);
      if (isNew && at >= since) yield { ...change, cursor: encode(topic, { since, at, floor: place, sent }) };
    }
    // To be told to stop is no failure.
    await sleep(POLL_EVERY, undefined, { signal: stop }).catch(() => {});
  }
}

async function* entriesBehind(topic: Topic, floor: string, now: number): AsyncGenerator<Entry> {
  for (const partition of topic.partitions(floor, now)) {
    const { pk } = changeKey(partition, floor);
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk > :floor',
      // No place is empty, so behind every place is behind a space.
      ExpressionAttributeValues: { ':pk': pk, ':floor': floor || ' ' },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: table }, query))
      yield* Items.map((item) => entry.parse(item));
  }
}
