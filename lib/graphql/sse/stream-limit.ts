import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { slotKey } from '../../dynamodb/keys.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { retryOnConflict } from '../../dynamodb/retry.ts';

export type ReleaseSlot = () => Promise<void>;

/**
 * Takes one of `most` places for `seconds`, so that subscribers of all environments together leave room for queries.
 * Undefined where all are taken. A place that was never given back is free again once its time is over.
 */
export async function acquireSlot(most: number, seconds: number): Promise<ReleaseSlot | undefined> {
  return retryOnConflict(async () => {
    const now = Math.floor(Date.now() / 1000);
    const free = await freeSlots(most, now);
    // Any of the free ones, so that those who arrive together seldom want the same.
    const slot = free[Math.floor(Math.random() * free.length)];
    if (slot === undefined) return { release: undefined };
    const Key = slotKey(slot);
    // Whole seconds, as TTL has them, and none too few.
    const expiresAt = Math.ceil(Date.now() / 1000) + seconds;
    const Item = { ...Key, expiresAt };
    const taken = await isWritten(new PutCommand({ TableName, Item, ...unlessTaken(now) }));
    return taken ? { release: () => giveBack(Key, expiresAt) } : undefined;
  }).then(({ release }) => release);
}

const unlessTaken = (now: number) => ({
  ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
  ExpressionAttributeValues: { ':now': now },
});

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

async function freeSlots(most: number, now: number): Promise<number[]> {
  const held = (await readSlots()).filter(({ expiresAt }) => Number(expiresAt) > now);
  const taken = new Set(held.map(({ sk }) => sk));
  return Array.from({ length: most }, (_, slot) => slot).filter((slot) => !taken.has(slotKey(slot).sk));
}

/** Gives back all places, for where no other environment can be: a service that starts anew on this machine. */
export async function freeAllSlots(): Promise<void> {
  for (const { pk, sk } of await readSlots()) await table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
}

/** Only while it is still ours: it may have run out, and be another's by now. */
async function giveBack(Key: { pk: string; sk: string }, expiresAt: number): Promise<void> {
  const ours = { ConditionExpression: 'expiresAt = :ours', ExpressionAttributeValues: { ':ours': expiresAt } };
  await isWritten(new DeleteCommand({ TableName, Key, ...ours }));
}

async function isWritten(command: PutCommand | DeleteCommand): Promise<boolean> {
  try {
    await (command instanceof PutCommand ? table.send(command) : table.send(command));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
