import { isDeepStrictEqual } from 'node:util';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import {
  DIRECTORY,
  formatKey,
  type Item,
  type Key,
  LOGGED_SORT_KEYS,
  parseUserId,
  postKey,
  userKey,
} from '../../lib/dynamodb/keys.ts';
import { transact } from '../../lib/dynamodb/transact.ts';
import { listUndeclared } from '../../lib/features/backfill/backfill.ts';
import { type Backfill, isForDeclared, readBackfill } from '../../lib/features/backfill/record.ts';
import { type Duplicate, deleteLeftItems, rewriteAsRead } from '../../lib/features/backfill/rewrite.ts';
import { findHeir, moveToHeir } from '../../lib/features/merge/posts.ts';
import { indexPages } from '../../lib/features/page-index/indexer.ts';
import { blockKey } from '../../lib/features/page-index/keys.ts';
import { openPageIndex } from '../../lib/features/page-index/reader.ts';
import { requestRebuild } from '../../lib/features/page-index/rebuild.ts';
import { type Repair, repairAll as repairCounts, verifyAll } from '../../lib/features/page-index/verify.ts';
import { toUtc } from '../../lib/input/time.ts';
import { parsePost } from '../../lib/posts/post.ts';
import {
  compareDerived,
  formatDerivedKey,
  isClaimKey,
  isEntryKey,
  parseDerivedKey,
  parseEntryUserId,
  tryParseClaim,
} from '../../lib/users/derived.ts';
import { findStoredUser } from '../../lib/users/read.ts';
import { findOwner } from '../../lib/users/unique-values.ts';
import { type DerivedItem, type StoredUser, tryParseStoredUser } from '../../lib/users/user.ts';
import { FormerLogs } from './former-logs.ts';
import { checkGroups, type GroupKind } from './group-consistency.ts';

/** Kinds of findings. A restored table may contain part of a transaction, and manual changes bypass the service. */
export type Kind =
  | 'unreadable user'
  | 'user missing from the directory'
  | 'user whose claims or index entries differ'
  | 'claim or index entry without user'
  | 'unreadable claim'
  | 'unreadable post'
  | 'post without author'
  | 'page count that differs'
  | 'change log that is not listed'
  | GroupKind;

export type Report = {
  scanned: number;
  users: number;
  found: Partial<Record<Kind, number>>;
  repaired: number;
  counts: Repair[];
  /** Users with the same unique value. Not repaired: an operator must decide who keeps the value. */
  duplicates: Duplicate[];
  backfill: Backfill | undefined;
  /** The service's last backfill was for other fields than this process declares, so its findings may be wrong. */
  hasOtherFields: boolean;
  /** May differ from `users` after concurrent writes. */
  indexed: number;
};

/** `rebuild` replaces the page index, for a restored table that contains part of an indexing step. */
type Options = {
  repair?: 'counts' | 'rebuild' | undefined;
  /** Receives the key of an item. */
  onFinding?: (kind: Kind, key: Key) => void;
  onScan?: (items: number) => void;
  onVerify?: (users: number, of: number) => void;
};

type Stored = Item & Key;

/**
 * Concurrent writes can cause false findings, but never wrong repairs. Throws if a repair would remove items of fields
 * that only the deployed service declares.
 */
export async function checkTable(options: Options = {}): Promise<Report> {
  const backfill = await readBackfill();
  const undeclared = backfill ? listUndeclared(backfill) : [];
  if (options.repair && undeclared.length > 0)
    throw new Error(
      `The service declares ${undeclared.join(', ')} as unique, search, filter or sort fields. Pass a file with its fields with --fields`,
    );
  const report: Report = {
    ...{ scanned: 0, users: 0, found: {}, repaired: 0, counts: [], duplicates: [], indexed: 0 },
    backfill,
    hasOtherFields: backfill !== undefined && !isForDeclared(backfill),
  };
  const logs = new FormerLogs();
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    const items = Items as Stored[]; // Every item has a key.
    await checkItems(items, report, options);
    logs.add(items);
    options.onScan?.(report.scanned);
  }
  await checkLogs(logs, report, options);
  if (options.repair === 'rebuild') await replaceIndex();
  else await checkCounts(report, options);
  report.indexed = await openPageIndex().count();
  return report;
}

function addFinding(kind: Kind, { pk, sk }: Key, { found }: Report, { onFinding }: Options): void {
  found[kind] = (found[kind] ?? 0) + 1;
  onFinding?.(kind, { pk, sk });
}

async function checkItems(items: Stored[], report: Report, options: Options): Promise<void> {
  const { repair } = options;
  report.scanned += items.length;
  const { users, damaged } = parseUsers(items.filter(isUser));
  report.users += users.size;
  // A repair skips damaged users and their claims, index entries and posts.
  for (const user of damaged) addFinding('unreadable user', user, report, options);
  for (const item of items)
    if (isUnlisted(item) && users.has(parseUserId(item.pk))) await checkListed(item, report, options);
  const ids = new Set(items.flatMap((item) => findUserId(item) ?? []));
  const others = await getItems([...ids].filter((id) => !users.has(id)).map(userKey), { ConsistentRead: true });
  const further = parseUsers(others as Stored[]); // Every item has a key.
  const known = new Map([...users, ...further.users]);
  const skipped = new Set([...damaged, ...further.damaged].map(({ pk }) => parseUserId(pk)));
  const isSkipped = (item: Stored) => skipped.has(findUserId(item) ?? '');

  const derived = items.filter(
    (item) => (isClaimKey(item) || isEntryKey(item)) && !isUnreadableClaim(item) && !isSkipped(item),
  );
  const unrecorded = new Map<string, Stored[]>();
  for (const [id, ofUser] of Map.groupBy(derived, (item) => findUserId(item) ?? '')) {
    const user = known.get(id);
    const left = ofUser.filter((item) => !user?.derived.includes(formatDerivedKey(item, id)));
    for (const item of left) addFinding('claim or index entry without user', item, report, options);
    if (left.length > 0) unrecorded.set(id, left);
  }
  const toCheck = [...known.values()].filter(
    ({ user }) => users.has(user.id) || (repair !== undefined && unrecorded.has(user.id)),
  );
  const existing = await readDerivedItems(toCheck);
  if (repair) await deleteUnreadableClaims([...items, ...existing.values()], existing, report, options);
  else for (const item of items) if (isUnreadableClaim(item)) addFinding('unreadable claim', item, report, options);
  const repairedBefore = report.repaired;
  for (const stored of toCheck) {
    const left = unrecorded.get(stored.user.id) ?? [];
    // An earlier repair may have moved a claim from this user to another one.
    if (report.repaired > repairedBefore) await checkUserAgain(stored, left, report, options);
    else await checkUser(stored, existing, left, report, options);
  }
  if (repair)
    for (const [id, left] of unrecorded) if (id && !known.has(id)) report.repaired += await deleteLeft(id, left);
  for (const item of items) if (!isSkipped(item)) await checkPost(item, known, report, options);
  report.repaired += await checkGroups(items, [...users.values()], {
    repair: repair !== undefined,
    onFinding: (kind, key) => addFinding(kind, key, report, options),
  });
}

function parseUsers(items: Stored[]): { users: Map<string, StoredUser>; damaged: Stored[] } {
  const users = new Map<string, StoredUser>();
  const damaged: Stored[] = [];
  for (const item of items) {
    const stored = tryParseStoredUser(item);
    if (stored) users.set(stored.user.id, stored);
    else damaged.push(item);
  }
  return { users, damaged };
}

const isUnlisted = (item: Stored): boolean => isUser(item) && item.directory !== DIRECTORY;

/** Lists lack a user without this attribute, although reads by id or address find the user. */
async function checkListed({ pk, sk }: Stored, report: Report, options: Options): Promise<void> {
  addFinding('user missing from the directory', { pk, sk }, report, options);
  if (!options.repair) return;
  const { failures } = await transact({
    user: {
      Update: {
        TableName,
        Key: { pk, sk },
        UpdateExpression: 'SET directory = :directory',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':directory': DIRECTORY },
      },
    },
  });
  if (!failures) report.repaired++;
}

const isUnreadableClaim = (item: Stored): boolean => isClaimKey(item) && !tryParseClaim(item);

/** Every request for the value of such a claim fails. A check of its user writes the claim again. */
async function deleteUnreadableClaims(
  items: Stored[],
  existing: Map<string, Stored>,
  report: Report,
  options: Options,
): Promise<void> {
  const claims = new Map(items.filter(isUnreadableClaim).map((item) => [formatKey(item), item]));
  for (const [key, { pk, sk, userId, version }] of claims) {
    existing.delete(key);
    addFinding('unreadable claim', { pk, sk }, report, options);
    const values = Object.entries({ userId, version }).filter(([, value]) => value !== undefined);
    const missing = ['userId', 'version'].filter((name) => !values.some(([known]) => known === name));
    const { failures } = await transact({
      claim: {
        Delete: {
          TableName,
          Key: { pk, sk },
          ConditionExpression: [
            ...values.map(([name]) => `${name} = :${name}`),
            ...missing.map((name) => `attribute_not_exists(${name})`),
          ].join(' AND '),
          ...(values.length > 0
            ? { ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])) }
            : {}),
        },
      },
    });
    if (!failures) report.repaired++;
  }
}

async function checkUserAgain(
  { user: { id } }: StoredUser,
  unrecorded: Stored[],
  report: Report,
  options: Options,
): Promise<void> {
  const stored = await findStoredUser(id);
  if (!stored) return;
  const left = (await getItems(unrecorded.map(toKey), { ConsistentRead: true })) as Stored[]; // Every item has a key.
  const own = left.filter((item) => findUserId(item) === id && !stored.derived.includes(formatDerivedKey(item, id)));
  report.repaired += unrecorded.length - own.length;
  await checkUser(stored, await readDerivedItems([stored]), own, report, options);
}

async function readDerivedItems(users: StoredUser[]): Promise<Map<string, Stored>> {
  const keys = users.flatMap(({ user, derived }) => derived.map((text) => parseDerivedKey(text, user.id)));
  const items = await getItems(keys, { ConsistentRead: true });
  return new Map(items.map((item) => [formatKey(item), item]));
}

const toKey = ({ pk, sk }: Key): Key => ({ pk, sk });

const isUser = ({ sk }: Key) => sk === userKey('').sk;

function findUserId(item: Stored): string | undefined {
  if (isClaimKey(item)) return typeof item.userId === 'string' ? item.userId : undefined;
  if (isEntryKey(item)) return parseEntryUserId(item.sk);
  return item.sk.startsWith(LOGGED_SORT_KEYS.post) ? parseUserId(item.pk) : undefined;
}

async function deleteLeft(id: string, items: Stored[]): Promise<number> {
  await deleteLeftItems(
    id,
    items.map((item) => formatDerivedKey(item, id)),
  );
  return items.length;
}

/** `unrecorded`: the user's items that its record does not list. */
async function checkUser(
  stored: StoredUser,
  existing: Map<string, Stored>,
  unrecorded: Stored[],
  report: Report,
  options: Options,
): Promise<void> {
  const { user } = stored;
  const recorded = stored.derived.filter((text) => {
    const key = parseDerivedKey(text, user.id);
    const item = existing.get(formatKey(key));
    return item && (!isClaimKey(key) || isUnreadableClaim(item) || item.userId === user.id);
  });
  const own = [...recorded, ...unrecorded.map((item) => formatDerivedKey(item, user.id))];
  const { puts, deletes } = compareDerived(own, user, user.id);
  const duplicates = await findDuplicates(stored, puts);
  // The checks of both users find the same pair, so it is added only once.
  for (const duplicate of duplicates)
    if (!report.duplicates.some((known) => isDeepStrictEqual(known, duplicate))) report.duplicates.push(duplicate);
  // If two users have the same value, only the older one has the claim.
  const missing = puts.length - duplicates.filter(({ userId }) => userId === user.id).length;
  const hasExactRecord = recorded.length === stored.derived.length && unrecorded.length === 0;
  if (hasExactRecord && missing === 0 && deletes.length === 0) return;
  addFinding('user whose claims or index entries differ', userKey(user.id), report, options);
  // Each unrecorded item is a finding of its own, and the rewrite records or deletes it.
  if (options.repair) report.repaired += (await rewriteAsRead({ ...stored, derived: own })) * (1 + unrecorded.length);
}

async function findDuplicates({ user }: StoredUser, puts: DerivedItem[]): Promise<Duplicate[]> {
  const duplicates: Duplicate[] = [];
  for (const { key, claimOf } of puts) {
    const owner = claimOf === undefined ? undefined : await findOwner({ key, claimOf });
    if (!owner || claimOf === undefined || owner.id === user.id) continue;
    const [ownerId, userId] = owner.id < user.id ? [owner.id, user.id] : [user.id, owner.id];
    duplicates.push({ field: claimOf, userId, ownerId });
  }
  return duplicates;
}

/** Finds damaged posts, and posts of deleted authors. The service deletes or moves posts with their author. */
async function checkPost(
  item: Stored,
  users: Map<string, StoredUser>,
  report: Report,
  options: Options,
): Promise<void> {
  const { pk, sk } = item;
  const authorId = parseUserId(pk);
  if (!sk.startsWith(LOGGED_SORT_KEYS.post)) return;
  if (users.has(authorId)) {
    if (isUnreadablePost(item)) addFinding('unreadable post', item, report, options);
    return;
  }
  addFinding('post without author', item, report, options);
  if (!options.repair) return;
  const heir = await findHeir(authorId);
  const isRepaired =
    heir.id === undefined
      ? !(await transact<string>({ ...heir.checks, post: { Delete: { TableName, Key: { pk, sk } } } })).failures
      : (await moveToHeir([item], heir)) === 1;
  if (isRepaired) report.repaired++;
}

/** The service shows a damaged `publishedAt` as null, so a reader cannot notice it. */
function isUnreadablePost({ publishedAt, ...item }: Stored): boolean {
  try {
    const { id } = parsePost(item);
    return postKey(id) === undefined || (publishedAt != null && toUtc(publishedAt) === undefined);
  } catch {
    return true;
  }
}

async function checkLogs(logs: FormerLogs, report: Report, options: Options): Promise<void> {
  const unlisted = await logs.findUnlisted();
  for (const { firstEntry } of unlisted) addFinding('change log that is not listed', firstEntry, report, options);
  if (!options.repair) return;
  await logs.list(unlisted);
  report.repaired += unlisted.length;
}

async function replaceIndex(): Promise<void> {
  await requestRebuild();
  const { isUpToDate } = await indexPages();
  if (!isUpToDate) throw new Error('index-pages is running at the same time and will complete the page index');
}

async function checkCounts(report: Report, options: Options): Promise<void> {
  const { repair, onVerify } = options;
  let verified = 0;
  for await (const block of verifyAll()) {
    if (block.level === 1) verified += block.users;
    onVerify?.(verified, report.users);
    const repairs = repair ? await repairCounts(block) : [];
    report.counts.push(...repairs);
    report.repaired += repairs.length;
    for (const { level, startAfter } of repair ? repairs : block.differences)
      addFinding('page count that differs', blockKey(level, startAfter), report, options);
  }
}
