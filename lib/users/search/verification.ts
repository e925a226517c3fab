import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { type Item, type Key, searchCheckpointKey } from '../../dynamodb/keys.ts';
import { VERIFY_AFTER_MS, VISIBILITY_MS } from '../page-index/timing.ts';
import { repairEntry } from './repair.ts';
import { type EntryMismatch, findDifferences } from './verify.ts';

type Pause = (milliseconds: number) => Promise<unknown>;

/** In a run: as many items of the table cost about as much as the verification of the page index. */
const ITEMS_PER_RUN = 100;

/** Verifies the items of the table that are next in turn. Returns what it repaired. */
export async function verifyNextEntries(now: number, pause?: Pause): Promise<EntryMismatch[]> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: searchCheckpointKey, ConsistentRead: true }));
  const { items, next } = await scan(Item?.scannedUpTo, ITEMS_PER_RUN);
  const repairs = await verifyItems(items, { pause, settledAt: now - VERIFY_AFTER_MS });
  await putItemIf({ Item: { ...searchCheckpointKey, ...(next ? { scannedUpTo: next } : {}) } });
  return repairs;
}

/** Verifies the whole table, and tells after each part how many items that were, and what was repaired. */
export async function* verifyAllEntries(pause?: Pause): AsyncGenerator<{ scanned: number; repairs: EntryMismatch[] }> {
  let after: Key | undefined;
  do {
    const { items, next } = await scan(after);
    yield { scanned: items.length, repairs: await verifyItems(items, { pause }) };
    after = next;
  } while (after);
}

async function scan(after: Key | undefined, Limit?: number): Promise<{ items: (Item & Key)[]; next?: Key }> {
  const { Items = [], LastEvaluatedKey } = await table.send(
    new ScanCommand({ TableName, ExclusiveStartKey: after, Limit }),
  );
  // As every key of the table.
  return { items: Items as (Item & Key)[], ...(LastEvaluatedKey ? { next: LastEvaluatedKey as Key } : {}) };
}

const MAX_PARALLEL = 20;

/** Differences are measured again after a pause, as on-change may be about to write. */
async function verifyItems(
  items: (Item & Key)[],
  { pause = sleep, settledAt }: { pause?: Pause | undefined; settledAt?: number },
): Promise<EntryMismatch[]> {
  const waiting = await findDifferences(items);
  if (waiting.length > 0) await pause(VISIBILITY_MS);
  const repairs: EntryMismatch[] = [];
  const repairNext = async () => {
    for (let difference = waiting.pop(); difference; difference = waiting.pop())
      if (await repairEntry(difference, settledAt)) repairs.push(difference);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, repairNext));
  return repairs;
}
