import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { type Key, userKey } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import type { ChangeEntry } from '../change-log/entry.ts';
import { type Ref, readOrder } from '../change-log/order-log.ts';
import { isOfUser, readContent } from '../change-log/read.ts';
import { MIN_POSITION } from '../change-log/topics.ts';
import { listVersions } from '../change-log/versions.ts';
import { VERIFY_AFTER_MS, VISIBILITY_MS } from '../page-index/timing.ts';
import { listFormer, readBackfill } from './backfill-record.ts';
import { itemChecks } from './checks.ts';
import { findInconsistencies, type Part, type RepairOptions, readUsers, repairAll } from './comparison.ts';
import type { Duplicate, Kind, Stored } from './inconsistency.ts';
import { searchCheckpointKey, verifiedChangesKey } from './keys.ts';

// What follows from users, their claims and search entries, is compared with them, and repaired.

type Pause = (milliseconds: number) => Promise<unknown>;

/** The numbers of entries and claims that were repaired, and the duplicates that were found. */
export type Repairs = { entries: number; claims: number; duplicates: Duplicate[] };

const NONE: Repairs = { entries: 0, claims: 0, duplicates: [] };

const add = (one: Repairs, other: Repairs): Repairs => ({
  entries: one.entries + other.entries,
  claims: one.claims + other.claims,
  duplicates: [...one.duplicates, ...other.duplicates],
});

/**
 * Verifies the users that were changed, with the entries that the changes have written or removed, some minutes after. So
 * what code of an earlier deploy wrote, which knew other fields, is completed, too. Yields the repairs so far.
 */
export async function* verifyChangedUsers(now: number, pause?: Pause): AsyncGenerator<Repairs> {
  if (!environment.keepsChangeLog) return;
  const { Item } = await table.send(new GetCommand({ TableName, Key: verifiedChangesKey, ConsistentRead: true }));
  const settledAt = now - VERIFY_AFTER_MS;
  let verifiedUpTo: string = Item?.verifiedUpTo ?? MIN_POSITION;
  let repairs = NONE;
  for (;;) {
    const { changes, last } = await readPart(verifiedUpTo, settledAt);
    if (last === verifiedUpTo) return;
    const users = readUsers(await getItems(changes.map(({ id }) => userKey(id))));
    const part = { users, versions: changes.flatMap(listVersions), former: listFormer(await readBackfill()) };
    repairs = add(repairs, await verify(part, settledAt, pause));
    verifiedUpTo = last;
    await putItemIf({ Item: { ...verifiedChangesKey, verifiedUpTo } });
    yield repairs;
  }
}

/**
 * Reads some changes of users after a position of the order log, of entries up to a time, in ms, and the position of the
 * last. What comes after the position may have expired if the schedule did not run for a day: consistent reads ask for no predecessor.
 */
async function readPart(after: string, upTo: number): Promise<{ changes: ChangeEntry[]; last: string }> {
  const refs: Ref[] = [];
  let last = after;
  for await (const entries of readOrder(after, { ConsistentRead: true }))
    for (const entry of entries) {
      if (entry.at > upTo || refs.length >= sizes.verifiedChanges)
        return { changes: await readUserChanges(refs), last };
      refs.push(...entry.refs);
      last = entry.position;
    }
  return { changes: await readUserChanges(refs), last };
}

/** Posts have no search entries; of what was erased, none are left. */
const readUserChanges = async (refs: Ref[]): Promise<ChangeEntry[]> =>
  (await readContent(refs.filter(isOfUser))).filter((change) => change !== undefined);

/** Other items, such as posts, are read in between, but not without a limit. */
const MAX_SCANS_PER_RUN = 10;

/** Small tables are verified once a day. */
const MIN_PASS_MS = 24 * 3_600_000;

const isVerifiedInTurn = (item: Stored): boolean =>
  item.sk === userKey('').sk || itemChecks.some(({ isInTurn }) => isInTurn?.(item));

/** Verifies the users and entries that are next in turn, in whatever way they came to differ. */
export async function verifyNextUsers(now: number, pause?: Pause): Promise<Repairs> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: searchCheckpointKey, ConsistentRead: true }));
  const isWithinPass = Item?.scannedUpTo !== undefined;
  if (!isWithinPass && now < Item?.startedAt + MIN_PASS_MS) return NONE;
  let scannedUpTo: Key | undefined = Item?.scannedUpTo;
  const items: Stored[] = [];
  for (let scans = 0; items.length < sizes.verifiedItems && scans < MAX_SCANS_PER_RUN; scans++) {
    const page = await scan(scannedUpTo, sizes.verifiedItems);
    items.push(...page.items.filter(isVerifiedInTurn));
    scannedUpTo = page.next;
    if (!scannedUpTo) break;
  }
  const repairs = await verify({ users: readUsers(items), items }, now - VERIFY_AFTER_MS, pause);
  const startedAt = isWithinPass ? Item?.startedAt : now;
  await putItemIf({ Item: { ...searchCheckpointKey, startedAt, ...(scannedUpTo ? { scannedUpTo } : {}) } });
  return repairs;
}

async function scan(after: Key | undefined, Limit: number): Promise<{ items: Stored[]; next?: Key }> {
  const { Items = [], LastEvaluatedKey } = await table.send(
    new ScanCommand({ TableName, ExclusiveStartKey: after, Limit }),
  );
  // Every item has a key.
  return { items: Items as Stored[], ...(LastEvaluatedKey ? { next: LastEvaluatedKey as Key } : {}) };
}

/** Entries are compared again after a pause, as on-change may be about to write them. */
const verify = (part: Part, settledAt: number, pause: Pause = sleep): Promise<Repairs> =>
  repairPart(part, { settledAt, settle: () => pause(VISIBILITY_MS) });

/** Finds and repairs what is inconsistent, by default without delay: each write is conditional on what is stored. */
export async function repairPart(part: Part, options: RepairOptions = {}): Promise<Repairs> {
  const repaired = await repairAll(await findInconsistencies(part), options);
  const count = (...kinds: Kind[]) =>
    repaired.filter(({ kind, isWritten }) => isWritten && kinds.includes(kind)).length;
  const duplicates = repaired.flatMap(({ duplicate }) => duplicate ?? []);
  if (duplicates.length > 0) console.warn({ event: 'duplicate values', duplicates });
  return {
    entries: count('search entry that differs'),
    claims: count('user without claim', 'duplicate value'),
    duplicates,
  };
}
