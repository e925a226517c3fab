import { createHash, randomUUID } from 'node:crypto';
import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../../dynamodb/client.ts';
import { deleteItemIf } from '../../dynamodb/conditional-writes.ts';
import { callerSlotKey, type Key, slotKey } from '../../dynamodb/keys.ts';
import { AGAIN, retryOnConflict } from '../../dynamodb/retry.ts';
import { type TransactItem, transact } from '../../dynamodb/transactions.ts';

/** How many streams can be open, and how many of them by one caller. */
export type StreamLimits = { total: number; perCaller: number };

export type ReleaseSlot = () => Promise<void>;
export type AcquiredSlot =
  | { releaseSlot: ReleaseSlot; exceeded?: never }
  | { releaseSlot?: never; exceeded: keyof StreamLimits };

/**
 * Acquires a slot of the service together with one of the caller for `seconds`, so that subscriptions leave concurrency
 * for queries, and a caller leaves slots for others. Slots that are not released become free when their time is over.
 */
export function acquireSlot(caller: string, limits: StreamLimits, seconds: number): Promise<AcquiredSlot> {
  const hash = createHash('sha256').update(caller).digest('base64url');
  const toCallerKey = (slot: number) => callerSlotKey(hash, slot);
  return retryOnConflict<AcquiredSlot>(async () => {
    const now = Math.floor(Date.now() / 1000);
    const [own, shared] = await Promise.all([
      findFreeSlot(toCallerKey, limits.perCaller, now),
      findFreeSlot(slotKey, limits.total, now),
    ]);
    if (!own) return { exceeded: 'perCaller' };
    if (!shared) return { exceeded: 'total' };
    const streamId = randomUUID();
    // TTL attributes are whole seconds; rounded up, so that the slots last no less than the stream.
    const slot = { streamId, expiresAt: Math.ceil(Date.now() / 1000) + seconds };
    const { failures } = await transact({
      own: putIfFree({ ...own, ...slot }, now),
      shared: putIfFree({ ...shared, ...slot, callerSlot: own }, now),
    });
    return failures ? AGAIN : { releaseSlot: () => releaseSlots([own, shared], streamId) };
  });
}

const putIfFree = (Item: Key & Record<string, unknown>, now: number): TransactItem => ({
  Put: {
    TableName,
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: { ':now': now },
  },
});

/** A random one, so that concurrent requests seldom choose the same. */
async function findFreeSlot(toKey: (slot: number) => Key, count: number, now: number): Promise<Key | undefined> {
  const slots = await readSlots(toKey(0).pk);
  const taken = new Set(slots.filter(({ expiresAt }) => expiresAt > now).map(({ sk }) => sk));
  const free = Array.from({ length: count }, (_, slot) => toKey(slot)).filter(({ sk }) => !taken.has(sk));
  return free[Math.floor(Math.random() * free.length)];
}

const key = z.object({ pk: z.string(), sk: z.string() });
const storedSlot = z.extend(key, { expiresAt: z.number(), callerSlot: z.optional(key) });

async function readSlots(pk: string): Promise<z.infer<typeof storedSlot>[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ConsistentRead: true,
  };
  const { Items = [] } = await table.send(new QueryCommand(query));
  return z.array(storedSlot).parse(Items);
}

/** Deletes all slots when the service starts on this machine, where no other process has open streams. */
export async function freeAllSlots(): Promise<void> {
  for (const { pk, sk, callerSlot } of await readSlots(slotKey(0).pk))
    for (const Key of [callerSlot, { pk, sk }]) if (Key) await table.send(new DeleteCommand({ TableName, Key }));
}

/** The condition spares slots that have expired since and that other streams have acquired. */
async function releaseSlots(keys: Key[], streamId: string): Promise<void> {
  const condition = {
    ConditionExpression: 'streamId = :streamId',
    ExpressionAttributeValues: { ':streamId': streamId },
  };
  await Promise.all(keys.map((Key) => deleteItemIf({ Key, ...condition })));
}
