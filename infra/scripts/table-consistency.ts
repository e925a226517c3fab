import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { getItems } from '../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import {
  type Item,
  isClaimKey,
  type Key,
  parseTombstoneKey,
  parseUserId,
  tombstoneKey,
  userKey,
} from '../../lib/dynamodb/keys.ts';
import { type TransactItem, transact } from '../../lib/dynamodb/transactions.ts';
import { openPageIndex } from '../../lib/features/page-index/reader.ts';
import { rebuildIndex } from '../../lib/features/page-index/rebuild.ts';
import { type Pause, type Repair, repairAll, verifyAll } from '../../lib/features/page-index/verify.ts';
import { listUndeclared } from '../../lib/features/repair/backfill.ts';
import { type Backfill, readBackfill } from '../../lib/features/repair/backfill-record.ts';
import {
  type Duplicate,
  findMissingClaims,
  type MissingClaim,
  makeClaim,
} from '../../lib/features/repair/missing-claims.ts';
import { type EntryMismatch, findMismatches, repairEntry } from '../../lib/features/search/mismatches.ts';
import { hasClaim } from '../../lib/users/list-claims.ts';
import { parseUser, type User } from '../../lib/users/schema.ts';
import { requireUserUnchanged } from '../../lib/users/transaction-items.ts';

type Claim = Key & { userId: string };
type Post = Key & { authorId: string };
type Tombstone = Key & { userId: string };

/** These items of one page of a scan depend on others. */
export type Page = { items: (Item & Key)[]; users: User[]; claims: Claim[]; posts: Post[]; tombstones: Tombstone[] };

const key = z.object({ pk: z.string(), sk: z.string() });
const claim = key.extend({ userId: z.string() });

async function* scanTable(): AsyncGenerator<Page> {
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    const page: Page = { items: Items as (Item & Key)[], users: [], claims: [], posts: [], tombstones: [] };
    for (const item of Items) addToPage(page, item);
    yield page;
  }
}

function addToPage(page: Page, item: Item): void {
  const { pk, sk } = key.parse(item);
  if (isClaimKey({ pk, sk })) page.claims.push(claim.parse(item));
  else if (pk === tombstoneKey(0).pk) page.tombstones.push({ pk, sk, userId: parseTombstoneKey(sk).id });
  else if (pk.startsWith('USER#') && sk.startsWith('POST#')) page.posts.push({ pk, sk, authorId: parseUserId(pk) });
  else if (pk.startsWith('USER#') && sk === 'USER') page.users.push(parseUser(item));
}

const CONSISTENT = { ConsistentRead: true };

/** Reads users by id, strongly consistent. */
async function getUsers(ids: string[]): Promise<Map<string, User>> {
  const items = await getItems(ids.map(userKey), CONSISTENT);
  return new Map(items.map(parseUser).map((each) => [each.id, each]));
}

/** A restore may contain only a part of a transaction, and a change of the own fields leaves claims and entries. */
export type Inconsistency =
  | { kind: 'claim without user'; claim: Claim; user: User | undefined }
  | { kind: 'user without claim'; missing: MissingClaim }
  | { kind: 'duplicate value'; missing: MissingClaim; duplicate: Duplicate }
  | { kind: 'post without author'; post: Post }
  | { kind: 'tombstone of a user who exists'; tombstone: Tombstone }
  | { kind: 'search entry that differs'; difference: EntryMismatch };

/** Compares the items of a page with those that they depend on. Concurrent writes can cause false results. */
export async function findInconsistencies({ items, users, claims, posts, tombstones }: Page): Promise<Inconsistency[]> {
  const userIds = [...claims, ...tombstones].map(({ userId }) => userId);
  const missing = await findMissingClaims(users, CONSISTENT);
  const owners = missing.flatMap(({ claimedBy }) => claimedBy ?? []);
  const existing = await getUsers([...userIds, ...owners, ...posts.map(({ authorId }) => authorId)]);
  const differences = await findMismatches(items, CONSISTENT);
  return [
    // These first, as a claim that is gone can be made for another user.
    ...claims.flatMap((claim) => {
      const user = existing.get(claim.userId);
      return user && hasClaim(user, claim) ? [] : [{ kind: 'claim without user' as const, claim, user }];
    }),
    ...missing.map((each) => describeMissing(each, existing.get(each.claimedBy ?? ''))),
    ...posts
      .filter(({ authorId }) => !existing.has(authorId))
      .map((post) => ({ kind: 'post without author' as const, post })),
    ...tombstones
      .filter(({ userId }) => existing.has(userId))
      .map((tombstone) => ({ kind: 'tombstone of a user who exists' as const, tombstone })),
    ...differences.map((difference) => ({ kind: 'search entry that differs' as const, difference })),
  ];
}

function describeMissing(missing: MissingClaim, owner: User | undefined): Inconsistency {
  const { claim, user } = missing;
  if (!owner || !hasClaim(owner, claim.key)) return { kind: 'user without claim', missing };
  const [ownerId = '', userId = ''] = [user.id, owner.id].toSorted();
  return { kind: 'duplicate value', missing, duplicate: { field: claim.field, userId, ownerId } };
}

/** Returns whether it repaired. Each write is conditional on what was found, so that concurrent writes are safe. */
export async function repair(found: Inconsistency, onDuplicate = (_: Duplicate) => {}): Promise<boolean> {
  if (found.kind === 'search entry that differs') return repairEntry(found.difference);
  if (found.kind === 'user without claim' || found.kind === 'duplicate value') {
    const { isMade, duplicate } = await makeClaim(found.missing);
    if (duplicate) onDuplicate(duplicate);
    // The claim goes to the older of two users; both keep the value.
    return isMade && !duplicate;
  }
  const { failures } = await transact(createItems(found));
  return !failures;
}

type Transacted = Extract<
  Inconsistency,
  { kind: 'claim without user' | 'post without author' | 'tombstone of a user who exists' }
>;

function createItems(found: Transacted): Record<string, TransactItem> {
  switch (found.kind) {
    case 'claim without user':
      return {
        user: found.user ? requireUserUnchanged(found.user) : requireMissing(found.claim.userId),
        claim: deleteClaim(found.claim, found.claim.userId),
      };
    case 'post without author':
      return { user: requireMissing(found.post.authorId), post: deleteByKey(found.post) };
    case 'tombstone of a user who exists':
      return { user: requireExisting(found.tombstone.userId), tombstone: deleteByKey(found.tombstone) };
  }
}

const check = (id: string, ConditionExpression: string): TransactItem => ({
  ConditionCheck: { TableName, Key: userKey(id), ConditionExpression },
});

const requireMissing = (id: string) => check(id, 'attribute_not_exists(pk)');
const requireExisting = (id: string) => check(id, 'attribute_exists(pk)');

const deleteByKey = ({ pk, sk }: Key): TransactItem => ({ Delete: { TableName, Key: { pk, sk } } });

const deleteClaim = ({ pk, sk }: Key, userId: string): TransactItem => ({
  Delete: {
    TableName,
    Key: { pk, sk },
    ConditionExpression: 'userId = :userId',
    ExpressionAttributeValues: { ':userId': userId },
  },
});

export type Report = {
  scanned: number;
  users: number;
  /** How many inconsistencies were found, by kind. */
  found: Partial<Record<Inconsistency['kind'] | 'page count that differs', number>>;
  repaired: number;
  /** These counts of the page index were repaired. */
  counts: Repair[];
  /** Users with the same address, or value of a unique field: only an operator can decide. */
  duplicates: Duplicate[];
  /** The progress of the backfill, which makes claims and search entries for fields that became unique or searchable. */
  backfill: Backfill | undefined;
  /** The page index counts so many users. It differs from `users` while users are created or deleted. */
  indexed: number;
};

/** A page index that contains a part of an indexing step must be rebuilt: no repair of counts can heal it. */
type Options = {
  repair?: 'counts' | 'rebuild' | undefined;
  onScan?: (items: number) => void;
  onVerify?: (users: number, of: number) => void;
  pause?: Pause;
};

/**
 * Checks claims, posts, tombstones, search entries and page index, and repairs them if that is asked for. It throws before
 * it would remove claims and entries of fields that only the deployed service knows.
 */
export async function checkTable(options: Options = {}): Promise<Report> {
  const backfill = await readBackfill();
  const undeclared = backfill ? listUndeclared(backfill) : [];
  if (options.repair && undeclared.length > 0)
    throw new Error(
      `The service has ${undeclared.join(', ')} as unique or search fields. Name the file of its fields with --fields`,
    );
  const report: Report = {
    ...{ scanned: 0, users: 0, found: {}, repaired: 0, counts: [], duplicates: [], indexed: 0 },
    backfill,
  };
  for await (const page of scanTable()) {
    report.scanned += page.items.length;
    report.users += page.users.length;
    for (const each of await findInconsistencies(page)) {
      report.found[each.kind] = (report.found[each.kind] ?? 0) + 1;
      if (!options.repair && each.kind === 'duplicate value') report.duplicates.push(each.duplicate);
      if (options.repair && (await repair(each, (duplicate) => report.duplicates.push(duplicate)))) report.repaired++;
    }
    options.onScan?.(report.scanned);
  }
  if (options.repair === 'rebuild') await replaceIndex(options);
  else await checkCounts(report, options);
  report.indexed = await openPageIndex().count();
  return report;
}

async function replaceIndex({ pause }: Options): Promise<void> {
  const { isUpToDate } = await rebuildIndex(pause ? { pause } : {});
  if (!isUpToDate) throw new Error('index-pages is running, too; it completes the page index');
}

/** Counts that only seemed wrong, because a read lagged, are known as such once they were to be repaired. */
async function checkCounts(report: Report, { repair, onVerify, pause }: Options): Promise<void> {
  let verified = 0;
  let different = 0;
  for await (const block of verifyAll()) {
    if (block.level === 1) verified += block.users;
    onVerify?.(verified, report.users);
    const repairs = repair ? await repairAll(block, pause) : [];
    report.counts.push(...repairs);
    report.repaired += repairs.length;
    different += (repair ? repairs : block.differences).length;
  }
  if (different > 0) report.found['page count that differs'] = different;
}
