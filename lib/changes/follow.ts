import { setTimeout as sleep } from 'node:timers/promises';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { changeKey } from '../keys.ts';
import { TableName, table } from '../table.ts';
import { type Cursor, decode, encode, from } from './cursor.ts';
import type { Topic } from './topics.ts';

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

/** A cursor names each change sent that has not settled; with more than these, newer ones wait until they have. */
const MOST_UNSETTLED = 64;

/** The changes of a topic behind a cursor, or from now on, in order, each once, without end. Throws `invalid`. */
export function follow(topic: Topic, after: string | null | undefined): AsyncGenerator<LoggedChange, never> {
  return poll(topic, after ? decode(topic, after) : from(topic, Date.now()));
}

async function* poll(topic: Topic, { since, ...cursor }: Cursor): AsyncGenerator<LoggedChange, never> {
  let { floor } = cursor;
  let sent = new Set(cursor.sent);
  for (;;) {
    const now = Date.now();
    const settled = topic.settled(now);
    for await (const { sk, change } of entriesBehind(topic, floor, now)) {
      if (sk > settled && sent.size >= MOST_UNSETTLED) break;
      const isNew = !sent.has(sk);
      sent.add(sk);
      if (sk <= settled) floor = sk;
      sent = new Set([...sent].filter((place) => place > floor));
      const at = Date.parse(change.at);
      if (isNew && at >= since) yield { ...change, cursor: encode(topic, { since, at, floor, sent: [...sent] }) };
    }
    await sleep(POLL_EVERY);
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
