import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import { changeKey } from '../dynamodb/keys.ts';
import { MIN_POSITION, type Topic } from './topics.ts';

const storedChange = z.object({
  kind: z.enum(['CREATED', 'UPDATED', 'DELETED']),
  id: z.string(),
  at: z.string(),
  streamedAt: z._default(z.number(), 0),
  item: z.nullable(z.record(z.string(), z.unknown())),
  before: z.optional(
    z.object({ name: z.string(), email: z.string(), fields: z.optional(z.record(z.string(), z.unknown())) }),
  ),
});
const entry = z.object({
  sk: z.string(),
  previous: z._default(z.string(), MIN_POSITION),
  changes: z.array(storedChange),
});

type Entry = z.infer<typeof entry>;
export type StoredChange = z.infer<typeof storedChange>;

/** A topic is read up to the end of the entry `watermark`, and of the next one as many changes as `offset` says. */
export type LogPosition = { watermark: string; offset: number };

/** Reads the changes after a position, in order, each with the position after it. */
export async function* readChanges(
  topic: Topic,
  { watermark, offset }: LogPosition,
): AsyncGenerator<{ change: StoredChange; position: LogPosition }> {
  let [last, skipped] = [watermark, offset];
  for await (const { sk, previous, changes } of readEntries(topic, watermark)) {
    // The items of concurrent transactions become visible in any order: the entry between is to come.
    if (previous > last) return;
    for (const [index, change] of changes.entries()) {
      const isLast = index === changes.length - 1;
      const position = isLast ? { watermark: sk, offset: 0 } : { watermark: last, offset: index + 1 };
      if (index >= skipped) yield { change, position };
    }
    [last, skipped] = [sk, 0];
  }
}

/** Links show what an eventually consistent read has missed; where there are none, it only tells whether to read. */
async function* readEntries(topic: Topic, watermark: string): AsyncGenerator<Entry> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk > :watermark',
    ExpressionAttributeValues: { ':pk': changeKey(topic.name, watermark).pk, ':watermark': watermark },
  };
  if (!topic.hasPredecessors) {
    const { Count } = await table.send(new QueryCommand({ ...query, Limit: 1 }));
    if (!Count) return;
  }
  for await (const { Items = [] } of paginateQuery(
    { client: table },
    { ...query, ConsistentRead: !topic.hasPredecessors },
  ))
    yield* Items.map((item) => entry.parse(item));
}
