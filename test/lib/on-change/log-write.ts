import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { getItems } from '../../../lib/dynamodb/batch.ts';
import type { Item, Key } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import { createReactions } from '../../../lib/on-change/reactions.ts';
import { handleRecords } from '../../../lib/on-change/stream-batch.ts';

export async function findItem(key: Key): Promise<Item | undefined> {
  const [item] = await getItems([key], { ConsistentRead: true });
  return item;
}

let sequence = 0;

export async function logChange(before: Item | undefined, after: Item | undefined): Promise<void> {
  const { pk, sk } = after ?? before ?? {};
  const record: DynamoDBRecord = {
    eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
    dynamodb: {
      Keys: marshall({ pk, sk }) as never,
      ...(before ? { OldImage: marshall(before) as never } : {}),
      ...(after ? { NewImage: marshall(after) as never } : {}),
      SequenceNumber: String(++sequence),
      ApproximateCreationDateTime: Math.floor(environment.now() / 1000),
    },
  };
  const { remaining } = await handleRecords([record], createReactions());
  if (remaining.length > 0) throw new Error(`on-change failed: ${JSON.stringify(record)}`);
}

export async function logWrite(key: Key, write: () => Promise<unknown>): Promise<void> {
  const before = await findItem(key);
  await write();
  await logChange(before, await findItem(key));
}
