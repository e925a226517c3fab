import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import {
  formatKey,
  type Item,
  isUniqueKey,
  type Key,
  searchCheckpointKey,
  userKey,
  verifiedChangesKey,
} from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { mapParallel } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { listPossibleClaims } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import type { ChangeEntry } from '../change-log/entry.ts';
import { type Ref, readOrder } from '../change-log/order-log.ts';
import { isOfUser, readContent } from '../change-log/read.ts';
import { MIN_POSITION } from '../change-log/topics.ts';
import { listVersions } from '../change-log/versions.ts';
import { VERIFY_AFTER_MS, VISIBILITY_MS } from '../page-index/timing.ts';
import { listKeys, listPossibleKeys } from '../search/entries.ts';
import {
  type EntryMismatch,
  findMismatches,
  findMismatchesAt,
  findMissingEntries,
  isVerifiable,
  readUsers,
  repairEntry,
} from '../search/mismatches.ts';
import { type Fields, readBackfill } from './backfill-record.ts';
import { type Duplicate, findMissingClaims, type MissingClaim, makeClaims } from './missing-claims.ts';
import { deleteStaleClaim, findStaleClaims } from './stale-claims.ts';

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
    const former = (await readBackfill())?.former ?? NO_FIELDS;
    const touched = changes.flatMap((change) => listTouchedKeys(change, former));
    const found = {
      entries: await findMismatchesAt(touched, users),
      claims: await findMissingClaims(users),
      staleClaims: await findStaleClaims(await getItems(changes.flatMap((change) => listFormerClaims(change, former)))),
    };
    repairs = add(repairs, await repairAll(found, { pause, settledAt }));
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

const NO_FIELDS: Fields = { unique: [], search: [] };

/** Returns where entries of the user stood before the change and after it. */
const listTouchedKeys = (change: ChangeEntry, { search }: Fields): EntryMismatch[] =>
  listVersions(change).flatMap((user) => [...toMismatches(user, listKeys(user)), ...listFormerKeys(user, search)]);

const toMismatches = ({ id: userId }: User, keys: Key[]): EntryMismatch[] => keys.map((key) => ({ userId, key }));

/** Returns where entries of fields may stand that were searched once. */
const listFormerKeys = (user: User, search: string[]): EntryMismatch[] =>
  toMismatches(user, listPossibleKeys(user, search));

/** Returns the claims that the user may have had of fields that were unique once. */
const listFormerClaims = (change: ChangeEntry, { unique }: Fields): Key[] =>
  listVersions(change)
    .flatMap(listPossibleClaims)
    .flatMap(({ field, key }) => (unique.includes(field) ? [key] : []));

/** Other items, such as posts, are read in between, but not without a limit. */
const MAX_SCANS_PER_RUN = 10;

/** Small tables are verified once a day. */
const MIN_PASS_MS = 24 * 3_600_000;

/** Verifies the users and entries that are next in turn, in whatever way they came to differ. */
export async function verifyNextUsers(now: number, pause?: Pause): Promise<Repairs> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: searchCheckpointKey, ConsistentRead: true }));
  const isWithinPass = Item?.scannedUpTo !== undefined;
  if (!isWithinPass && now < Item?.startedAt + MIN_PASS_MS) return NONE;
  let scannedUpTo: Key | undefined = Item?.scannedUpTo;
  const items: (Item & Key)[] = [];
  for (let scans = 0; items.length < sizes.verifiedItems && scans < MAX_SCANS_PER_RUN; scans++) {
    const page = await scan(scannedUpTo, sizes.verifiedItems);
    items.push(...page.items.filter((item) => isVerifiable(item) || isUniqueKey(item)));
    scannedUpTo = page.next;
    if (!scannedUpTo) break;
  }
  const found = {
    entries: await findMismatches(items),
    claims: await findMissingClaims(readUsers(items)),
    staleClaims: await findStaleClaims(items),
  };
  const repairs = await repairAll(found, { pause, settledAt: now - VERIFY_AFTER_MS });
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

/**
 * Gives users the claims and entries that they lack, and removes the entries of fields that were searched once, without delay:
 * each write is conditional on what is stored.
 */
export async function repairUsers(users: User[], { search }: Fields): Promise<Repairs> {
  const former = users.flatMap((user) => listFormerKeys(user, search));
  const entries = [...(await findMissingEntries(users)), ...(await findMismatchesAt(former, users))];
  const found = { entries: distinctMismatches(entries), claims: await findMissingClaims(users), staleClaims: [] };
  return repairAll(found, { pause: async () => {} });
}

const distinctMismatches = (mismatches: EntryMismatch[]): EntryMismatch[] => [
  ...new Map(mismatches.map((each) => [formatKey(each.key), each])).values(),
];

type Found = { entries: EntryMismatch[]; claims: MissingClaim[]; staleClaims: Key[] };
type RepairOptions = { pause?: Pause | undefined; settledAt?: number };

/** Entries are compared again after a pause, as on-change may be about to write them. */
async function repairAll(
  { entries, claims, staleClaims }: Found,
  { pause = sleep, settledAt }: RepairOptions,
): Promise<Repairs> {
  await mapParallel(staleClaims, deleteStaleClaim);
  const { made, duplicates } = await makeClaims(claims);
  if (entries.length > 0) await pause(VISIBILITY_MS);
  let repaired = 0;
  await mapParallel(entries, async (mismatch) => {
    if (await repairEntry(mismatch, settledAt)) repaired++;
  });
  if (duplicates.length > 0) console.warn({ event: 'duplicate values', duplicates });
  return { entries: repaired, claims: made, duplicates };
}
