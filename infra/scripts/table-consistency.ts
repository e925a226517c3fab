import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { getItems } from '../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import {
  emailKey,
  type Item,
  type Key,
  parseTombstoneKey,
  parseUserId,
  tombstoneKey,
  userKey,
} from '../../lib/dynamodb/keys.ts';
import { type TransactItem, transact } from '../../lib/dynamodb/transactions.ts';
import { putClaim } from '../../lib/users/claims.ts';
import { canonicalEmail } from '../../lib/users/email.ts';
import { clearIndex, indexPages } from '../../lib/users/page-index/indexer.ts';
import { openPageIndex } from '../../lib/users/page-index/reader.ts';
import { type Pause, type Repair, repairAll, verifyAll } from '../../lib/users/page-index/verify.ts';
import { type EntryMismatch, findMismatches, repairEntry } from '../../lib/users/search/mismatches.ts';

type User = { id: string; email: string; version: number };
type Claim = Key & { userId: string };
type Post = Key & { authorId: string };
type Tombstone = Key & { userId: string };

/** These items of one page of a scan depend on others. */
export type Page = { items: (Item & Key)[]; users: User[]; claims: Claim[]; posts: Post[]; tombstones: Tombstone[] };

const key = z.object({ pk: z.string(), sk: z.string() });
const user = key.extend({ email: z.string(), version: z.number() });
const claim = key.extend({ userId: z.string() });

async function* scanTable(): AsyncGenerator<Page> {
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    const page: Page = { items: Items as (Item & Key)[], users: [], claims: [], posts: [], tombstones: [] };
    for (const item of Items) addToPage(page, item);
    yield page;
  }
}

function addToPage(page: Page, item: unknown): void {
  const { pk, sk } = key.parse(item);
  if (pk.startsWith('EMAIL#')) page.claims.push(claim.parse(item));
  else if (pk === tombstoneKey(0).pk) page.tombstones.push({ pk, sk, userId: parseTombstoneKey(sk).id });
  else if (pk.startsWith('USER#') && sk.startsWith('POST#')) page.posts.push({ pk, sk, authorId: parseUserId(pk) });
  else if (pk.startsWith('USER#') && sk === 'USER') page.users.push(parseUser(item));
}

function parseUser(item: unknown): User {
  const { pk, email, version } = user.parse(item);
  return { id: parseUserId(pk), email, version };
}

const CONSISTENT = { ConsistentRead: true };

/** Reads users by id, strongly consistent. */
async function getUsers(ids: string[]): Promise<Map<string, User>> {
  const items = await getItems(ids.map(userKey), CONSISTENT);
  return new Map(items.map(parseUser).map((each) => [each.id, each]));
}

/** Reads email claims by key, strongly consistent. Returns the ids of their users. */
async function getClaims(keys: Key[]): Promise<Map<string, string>> {
  const claims = (await getItems(keys, CONSISTENT)).map((item) => claim.parse(item));
  return new Map(claims.map(({ pk, userId }) => [pk, userId]));
}

/** A restore may contain only a part of a transaction, and leaves these. */
export type Inconsistency =
  | { kind: 'user without claim'; user: User; claimedBy: string | undefined }
  | { kind: 'claim without user'; claim: Claim; user: User | undefined }
  | { kind: 'post without author'; post: Post }
  | { kind: 'tombstone of a user who exists'; tombstone: Tombstone }
  | { kind: 'search entry that differs'; difference: EntryMismatch };

const claimKeyFor = ({ email }: User) => emailKey(canonicalEmail(email));

/** Compares the items of a page with those that they depend on. Concurrent writes can cause false results. */
export async function findInconsistencies({ items, users, claims, posts, tombstones }: Page): Promise<Inconsistency[]> {
  const userIds = [...claims, ...tombstones].map(({ userId }) => userId);
  const existing = await getUsers([...userIds, ...posts.map(({ authorId }) => authorId)]);
  const differences = await findMismatches(items, { ConsistentRead: true });
  const claimed = await getClaims(users.map(claimKeyFor));
  return [
    ...users.flatMap((user) => {
      const claimedBy = claimed.get(claimKeyFor(user).pk);
      return claimedBy === user.id ? [] : [{ kind: 'user without claim' as const, user, claimedBy }];
    }),
    ...claims.flatMap((claim) => {
      const user = existing.get(claim.userId);
      return user && claimKeyFor(user).pk === claim.pk ? [] : [{ kind: 'claim without user' as const, claim, user }];
    }),
    ...posts
      .filter(({ authorId }) => !existing.has(authorId))
      .map((post) => ({ kind: 'post without author' as const, post })),
    ...tombstones
      .filter(({ userId }) => existing.has(userId))
      .map((tombstone) => ({ kind: 'tombstone of a user who exists' as const, tombstone })),
    ...differences.map((difference) => ({ kind: 'search entry that differs' as const, difference })),
  ];
}

/** Returns whether it repaired. Each write is conditional on what was found, so that concurrent writes are safe. */
export async function repair(found: Inconsistency): Promise<boolean> {
  if (found.kind === 'search entry that differs') return repairEntry(found.difference);
  const { failures } = await transact(createItems(found));
  return !failures;
}

type Transacted = Exclude<Inconsistency, { kind: 'search entry that differs' }>;

function createItems(found: Transacted): Record<string, TransactItem> {
  switch (found.kind) {
    case 'user without claim':
      return {
        user: requireUnchanged(found.user),
        claim: putClaim({ field: 'email', key: claimKeyFor(found.user) }, found.user),
      };
    case 'claim without user':
      return {
        user: found.user ? requireUnchanged(found.user) : requireMissing(found.claim.userId),
        claim: deleteClaim(found.claim, found.claim.userId),
      };
    case 'post without author':
      return { user: requireMissing(found.post.authorId), post: deleteByKey(found.post) };
    case 'tombstone of a user who exists':
      return { user: requireExisting(found.tombstone.userId), tombstone: deleteByKey(found.tombstone) };
  }
}

const check = (id: string, ConditionExpression: string, values?: Record<string, unknown>): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: userKey(id),
    ConditionExpression,
    ...(values ? { ExpressionAttributeValues: values } : {}),
  },
});

const requireUnchanged = ({ id, version }: User) => check(id, 'version = :read', { ':read': version });
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
  /** It counts what was found, by kind. */
  found: Partial<Record<Inconsistency['kind'] | 'page count that differs', number>>;
  repaired: number;
  /** These counts of the page index were repaired. */
  counts: Repair[];
  /** Another user has claimed the address of these users: only an operator can decide. */
  conflicts: string[];
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

/** Checks claims, posts, tombstones, search entries and page index, and repairs them if that is asked for. */
export async function checkTable(options: Options = {}): Promise<Report> {
  const report: Report = { scanned: 0, users: 0, found: {}, repaired: 0, counts: [], conflicts: [], indexed: 0 };
  for await (const page of scanTable()) {
    report.scanned += page.items.length;
    report.users += page.users.length;
    for (const each of await findInconsistencies(page)) {
      report.found[each.kind] = (report.found[each.kind] ?? 0) + 1;
      if (options.repair && (await repair(each))) report.repaired++;
      else if (each.kind === 'user without claim' && each.claimedBy !== undefined) report.conflicts.push(each.user.id);
    }
    options.onScan?.(report.scanned);
  }
  if (options.repair === 'rebuild') await rebuildIndex(options);
  else await checkCounts(report, options);
  report.indexed = await openPageIndex().count();
  return report;
}

async function rebuildIndex({ pause }: Options): Promise<void> {
  await clearIndex();
  const { isUpToDate } = await indexPages(pause ? { pause } : {});
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
