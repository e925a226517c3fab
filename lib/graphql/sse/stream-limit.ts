import { DeleteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { deleteItemIf, putItem } from '../../dynamodb/conditional-writes.ts';
import { type Key, slotKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/retry.ts';

export type ReleaseSlot = () => Promise<void>;

/**
 * Acquires one of `maxSlots` slots for `seconds`, so that subscriptions leave concurrency for queries. Undefined if all
 * are taken. A slot that is not released becomes free when its time is over.
 */
export async function acquireSlot(maxSlots: number, seconds: number): Promise<ReleaseSlot | undefined> {
  const { releaseSlot } = await retryOnConflict(async () => {
    const now = Math.floor(Date.now() / 1000);
    const free = await readFreeSlots(maxSlots, now);
    // A random one, so that concurrent requests seldom choose the same.
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) return { releaseSlot: undefined };
    const key = slotKey(slot);
    // TTL attributes are whole seconds; rounded up, so that the slot lasts no less than the stream.
    const expiresAt = Math.ceil(Date.now() / 1000) + seconds;
    const { failure } = await putItem({
      Item: { ...key, expiresAt },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now },
    });
    return failure ? undefined : { releaseSlot: () => releaseUnexpired(key, expiresAt) };
  });
  return releaseSlot;
}

async function readSlots(): Promise<Record<string, unknown>[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': slotKey(0).pk },
    ConsistentRead: true,
  };
  const { Items = [] } = await table.send(new QueryCommand(query));
  return Items;
}

async function readFreeSlots(maxSlots: number, now: number): Promise<number[]> {
  const slots = await readSlots();
  const taken = new Set(slots.filter(({ expiresAt }) => Number(expiresAt) > now).map(({ sk }) => sk));
  return Array.from({ length: maxSlots }, (_, slot) => slot).filter((slot) => !taken.has(slotKey(slot).sk));
}

/** Deletes all slots when the service starts on this machine, where no other process has open streams. */
export async function freeAllSlots(): Promise<void> {
  for (const { pk, sk } of await readSlots()) await table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
}

/** The condition spares a slot that has expired since and that another stream has acquired. */
async function releaseUnexpired(Key: Key, expiresAt: number): Promise<void> {
  await deleteItemIf({
    Key,
    ConditionExpression: 'expiresAt = :expiresAt',
    ExpressionAttributeValues: { ':expiresAt': expiresAt },
  });
}
