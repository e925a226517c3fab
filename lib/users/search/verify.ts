import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { RETENTION_SECONDS } from '../../change-log/append.ts';
import { readChanges, type StoredChange } from '../../change-log/read.ts';
import { allUsers, findStart, formatPosition } from '../../change-log/topics.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { type Item, type Key, searchCheckpointKey, verifiedChangesKey } from '../../dynamodb/keys.ts';
import { sizes } from '../../sizes.ts';
import { VERIFY_AFTER_MS, VISIBILITY_MS } from '../page-index/timing.ts';
import { listKeys, readUser } from './entries.ts';
import { type EntryMismatch, findMismatches, findMismatchesAt, isVerifiable, repairEntry } from './mismatches.ts';

type Pause = (milliseconds: number) => Promise<unknown>;

/** Verifies the entries that changes of users have written or removed, some minutes after. Returns what it repaired. */
export async function verifyChangedEntries(
  now: number,
  hasTimeLeft: () => boolean,
  pause?: Pause,
): Promise<EntryMismatch[]> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: verifiedChangesKey, ConsistentRead: true }));
  const oldest = findStart(allUsers, now - RETENTION_SECONDS * 1000);
  const settledAt = now - VERIFY_AFTER_MS;
  let verifiedUpTo: string = Item?.verifiedUpTo > oldest ? Item?.verifiedUpTo : oldest;
  const repairs: EntryMismatch[] = [];
  while (hasTimeLeft()) {
    const { changes, last } = await readPart(verifiedUpTo, formatPosition(settledAt));
    if (changes.length === 0) break;
    repairs.push(...(await repairAll(await findMismatchesAt(changes.flatMap(listTouchedKeys)), { pause, settledAt })));
    verifiedUpTo = last;
    await putItemIf({ Item: { ...verifiedChangesKey, verifiedUpTo } });
  }
  return repairs;
}

/** Reads some changes after a position, up to and including the entries of the log at `upTo`, and the position of the last. */
async function readPart(after: string, upTo: string): Promise<{ changes: StoredChange[]; last: string }> {
  const changes: StoredChange[] = [];
  let last = after;
  let entry: StoredChange[] = [];
  for await (const { change, position } of readChanges(allUsers, { watermark: after, offset: 0 })) {
    entry.push(change);
    if (position.offset > 0) continue;
    if (position.watermark > upTo) break;
    changes.push(...entry);
    [entry, last] = [[], position.watermark];
    if (changes.length >= sizes.verifiedChanges) break;
  }
  return { changes, last };
}

/** Returns where entries of the user stood before the change and after it. */
const listTouchedKeys = ({ id, item, before }: StoredChange): EntryMismatch[] =>
  [before, item && readUser(item)].flatMap((user) =>
    user ? listKeys({ ...user, id }).map((key) => ({ userId: id, key })) : [],
  );

/** Other items, such as posts, are read in between, but not without a limit. */
const MAX_SCANS_PER_RUN = 10;

/** Small tables are verified once a day. */
const MIN_PASS_MS = 24 * 3_600_000;

/** Verifies the users and entries that are next in turn, in whatever way they came to differ. Returns what it repaired. */
export async function verifyNextEntries(now: number, pause?: Pause): Promise<EntryMismatch[]> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: searchCheckpointKey, ConsistentRead: true }));
  const isWithinPass = Item?.scannedUpTo !== undefined;
  if (!isWithinPass && now < Item?.startedAt + MIN_PASS_MS) return [];
  let scannedUpTo: Key | undefined = Item?.scannedUpTo;
  const items: (Item & Key)[] = [];
  for (let scans = 0; items.length < sizes.verifiedItems && scans < MAX_SCANS_PER_RUN; scans++) {
    const page = await scan(scannedUpTo, sizes.verifiedItems);
    items.push(...page.items.filter(isVerifiable));
    scannedUpTo = page.next;
    if (!scannedUpTo) break;
  }
  const repairs = await verifyItems(items, { pause, settledAt: now - VERIFY_AFTER_MS });
  const startedAt = isWithinPass ? Item?.startedAt : now;
  await putItemIf({ Item: { ...searchCheckpointKey, startedAt, ...(scannedUpTo ? { scannedUpTo } : {}) } });
  return repairs;
}

async function scan(after: Key | undefined, Limit: number): Promise<{ items: (Item & Key)[]; next?: Key }> {
  const { Items = [], LastEvaluatedKey } = await table.send(
    new ScanCommand({ TableName, ExclusiveStartKey: after, Limit }),
  );
  // Every item has a key.
  return { items: Items as (Item & Key)[], ...(LastEvaluatedKey ? { next: LastEvaluatedKey as Key } : {}) };
}

const MAX_PARALLEL = 20;

type RepairOptions = { pause?: Pause | undefined; settledAt?: number };

const verifyItems = async (items: (Item & Key)[], options: RepairOptions) =>
  repairAll(await findMismatches(items), options);

/** Differences are measured again after a pause, as on-change may be about to write. */
async function repairAll(
  waiting: EntryMismatch[],
  { pause = sleep, settledAt }: RepairOptions,
): Promise<EntryMismatch[]> {
  if (waiting.length > 0) await pause(VISIBILITY_MS);
  const repairs: EntryMismatch[] = [];
  const repairNext = async () => {
    for (let mismatch = waiting.pop(); mismatch; mismatch = waiting.pop())
      if (await repairEntry(mismatch, settledAt)) repairs.push(mismatch);
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, repairNext));
  return repairs;
}
