import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { SYSTEM } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import {
  deletionKey,
  type Item,
  type Key,
  LOGGED_SORT_KEYS,
  newPostKey,
  parseUserId,
  postReturnKey,
  userKey,
} from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { MAX_TRANSACTION_ITEMS, type TransactItem, transact } from '../../dynamodb/transact.ts';
import { timestamp } from '../../environment.ts';
import type { Reaction } from '../../on-change/batch.ts';
import { split } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { findUser } from '../../users/read.ts';
import { readDeletion } from '../change-log/deletions.ts';

/*
 * A moved post keeps its own part of the id, which sorts it. `mergedFrom` on the item lists its former authors, so that
 * an undo finds it. An undo writes a return record: the author's posts are still to be returned. Until then, the author
 * cannot be merged again.
 */

type Checks = Record<string, TransactItem>;

/** `id`: the user who gets the posts of a deleted user. Undefined if none. `path`: the deleted user, and merged heirs. */
export type Heir = { id: string | undefined; path: string[]; checks: Checks };

/**
 * The user who was kept may have been merged, too. The check `author` fails if the deleted user has come back. Others fail
 * if `id` has changed.
 */
export async function findHeir(authorId: string): Promise<Heir> {
  const checks: Checks = { author: userCheck(authorId, false) };
  const path = [authorId];
  for (let id = authorId; ; path.push(id)) {
    const next = (await readDeletion(userKey(id)))?.mergedInto;
    checks[`merge${path.length}`] = mergeCheck(id, next);
    if (next === undefined) {
      if (id !== authorId) checks.heir = userCheck(id, false);
      return { id: undefined, path, checks };
    }
    if (await findUser(next)) {
      checks.heir = userCheck(next, true);
      return { id: next, path, checks };
    }
    id = next;
  }
}

const mergeCheck = (id: string, mergedInto: string | undefined): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: deletionKey(userKey(id)),
    ...(mergedInto === undefined
      ? { ConditionExpression: 'attribute_not_exists(mergedInto)' }
      : { ConditionExpression: 'mergedInto = :into', ExpressionAttributeValues: { ':into': mergedInto } }),
  },
});

const userCheck = (id: string, exists: boolean): TransactItem => ({
  ConditionCheck: {
    TableName,
    Key: userKey(id),
    ConditionExpression: exists ? 'attribute_exists(pk)' : 'attribute_not_exists(pk)',
  },
});

type Stored = Item & Key;

const listFormerAuthors = ({ mergedFrom }: Item): string[] => (Array.isArray(mergedFrom) ? mergedFrom : []);

type Move = {
  posts: Stored[];
  authorId: string;
  checks: Checks;
  findMergedFrom: (post: Stored) => string[];
  /** Numbers of posts that get a new id, because an import has created a post with theirs. */
  taken?: ReadonlySet<number>;
};

/** Moves posts in one transaction. Returns the names of the failed checks and items. */
async function movePosts(move: Move): Promise<string[]> {
  const { posts, authorId, checks, findMergedFrom, taken = new Set() } = move;
  const moves = posts.flatMap((post, at) => [
    [`former${at}`, deleteUnchanged(post)] as const,
    [`moved${at}`, moved(post, authorId, findMergedFrom(post), taken.has(at))] as const,
  ]);
  const { failures } = await transact<string>({ ...checks, ...Object.fromEntries(moves) });
  const failed = Object.keys(failures ?? {});
  if (failed.length === 0 || !failed.every((name) => name.startsWith('moved'))) return failed;
  return movePosts({
    ...move,
    taken: new Set([...taken, ...failed.map((name) => Number(name.slice('moved'.length)))]),
  });
}

const deleteUnchanged = ({ pk, sk, version }: Stored): TransactItem => ({
  Delete: {
    TableName,
    Key: { pk, sk },
    ConditionExpression: version === undefined ? 'attribute_exists(pk)' : 'version = :read',
    ...(version === undefined ? {} : { ExpressionAttributeValues: { ':read': version } }),
  },
});

function moved({ sk, version, ...post }: Stored, authorId: string, mergedFrom: string[], isTaken: boolean) {
  const key = newPostKey(authorId, isTaken ? uuidv7() : sk.slice(LOGGED_SORT_KEYS.post.length));
  const written = { version: Number(version ?? 1) + 1, updatedAt: timestamp(), by: SYSTEM, mergedFrom };
  return { Put: { TableName, Item: { ...post, ...written, ...key }, ConditionExpression: 'attribute_not_exists(pk)' } };
}

/** Moves the first posts of a merged user. Returns their number, 0 if the user has come back. */
export async function moveToHeir(posts: Stored[], { id = '', path, checks }: Heir): Promise<number | 'retry'> {
  const room = Math.floor((MAX_TRANSACTION_ITEMS - Object.keys(checks).length) / 2);
  const first = posts.slice(0, Math.min(sizes.movedPosts, room));
  const findMergedFrom = (post: Stored) => [...listFormerAuthors(post), ...path];
  const failed = await movePosts({ posts: first, authorId: id, checks, findMergedFrom });
  if (failed.includes('author')) return 0;
  return failed.length === 0 ? first.length : 'retry';
}

/**
 * Returns the first posts to `id`. Deletes them if the user was deleted since the undo. 'ended' if the return record is no
 * longer current.
 */
async function returnPosts(posts: Stored[], id: string, returnId: unknown): Promise<'done' | 'ended' | 'retry'> {
  const first = posts.slice(0, sizes.movedPosts);
  const record: TransactItem = {
    ConditionCheck: {
      ...{ TableName, Key: postReturnKey(id) },
      ...{ ConditionExpression: 'returnId = :id', ExpressionAttributeValues: { ':id': returnId } },
    },
  };
  const findMergedFrom = (post: Stored) => listFormerAuthors(post).slice(0, -1);
  const checks = { author: userCheck(id, true), record };
  let failed = await movePosts({ posts: first, authorId: id, checks, findMergedFrom });
  if (failed.includes('author')) failed = await deletePosts(first, { author: userCheck(id, false), record });
  if (failed.includes('record')) return 'ended';
  return failed.length === 0 ? 'done' : 'retry';
}

async function deletePosts(posts: Stored[], checks: Checks): Promise<string[]> {
  const deletes = posts.map((post, at) => [`former${at}`, deleteUnchanged(post)] as const);
  const { failures } = await transact<string>({ ...checks, ...Object.fromEntries(deletes) });
  return Object.keys(failures ?? {});
}

/** Returns posts that an undo has not returned yet, before the user who was kept loses all posts. True if some moved. */
export async function returnWaitingPosts(posts: Stored[], keptId: string): Promise<boolean> {
  const byAuthor = Map.groupBy(posts, (post) => listFormerAuthors(post).at(-1));
  const keys = [...byAuthor.keys()].flatMap((id) => (id === undefined ? [] : [postReturnKey(id)]));
  const records: Stored[] = await getItems(keys, { ConsistentRead: true });
  for (const { pk, returnsFrom, returnId } of records) {
    const id = parseUserId(pk);
    if (returnsFrom === keptId && (await returnPosts(byAuthor.get(id) ?? [], id, returnId)) !== 'ended') return true;
  }
  return false;
}

/** Maximum parallel returns. The posts of one author are returned sequentially. */
const MAX_PARALLEL_RETURNS = 5;

/** Returns posts after an undo. Each version of the return record returns one part. */
export const returnMergedPosts: Reaction = (batch) =>
  batch.runEach(({ key, after }) => {
    const id = key.pk.startsWith('USER#') ? parseUserId(key.pk) : '';
    const isReturn = key.sk === postReturnKey(id).sk && typeof after?.returnsFrom === 'string';
    return isReturn ? returnPart(id, after) : undefined;
  }, MAX_PARALLEL_RETURNS);

async function returnPart(id: string, record: Item): Promise<void> {
  const after = await retryOnConflict(() => returnNextPosts(id, record));
  // Writes nothing if this is a repetition and the record has advanced.
  const condition = {
    ConditionExpression: 'returnId = :id AND step = :step',
    ExpressionAttributeValues: { ':id': record.returnId, ':step': record.step },
  };
  if (after) await writeIf('Put', { Item: { ...record, after, step: Number(record.step) + 1 }, ...condition });
  else await writeIf('Delete', { Key: postReturnKey(id), ...condition });
}

/**
 * Reads the next posts of the kept user, and returns the posts of `id`. Resolves to the sort key of the last post, or to
 * undefined after all posts. No post of `id` can arrive before this position: an undo waits for the returns of the kept
 * user.
 */
async function returnNextPosts(
  id: string,
  { returnsFrom, returnId, after }: Item,
): Promise<string | 'retry' | undefined> {
  const { pk } = userKey(String(returnsFrom));
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
    ExpressionAttributeValues: { ':pk': pk, ':post': LOGGED_SORT_KEYS.post },
    ConsistentRead: true,
    Limit: sizes.scannedPosts,
    ...(typeof after === 'string' ? { ExclusiveStartKey: { pk, sk: after } } : {}),
  };
  const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
  const posts = (Items as Stored[]).filter((post) => listFormerAuthors(post).at(-1) === id); // Every item has a key.
  for (const part of split(posts, sizes.movedPosts)) {
    const result = await returnPosts(part, id, returnId);
    if (result === 'retry') return result;
    if (result === 'ended') return undefined;
  }
  return LastEvaluatedKey?.sk;
}

/** True while posts return to a user after an undo. */
export async function isReturning(id: string): Promise<boolean> {
  return (await getItems([postReturnKey(id)], { ConsistentRead: true })).length > 0;
}
