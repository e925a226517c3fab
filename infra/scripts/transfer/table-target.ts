import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { SYSTEM } from '../../../lib/auth/caller.ts';
import { getItems } from '../../../lib/dynamodb/batch.ts';
import { deletionKey, formatKey, postId, requirePostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { environment, timestamp } from '../../../lib/environment.ts';
import { isUnavailable, ServiceError, unavailable } from '../../../lib/errors.ts';
import { createPosts, type StoredPost } from '../../../lib/posts/write.ts';
import type { ReturningUser } from '../../../lib/users/deletion-record.ts';
import { parseDeletion } from '../../../lib/users/deletion-record.ts';
import { createUserKey, type UserKey } from '../../../lib/users/derived.ts';
import type { FieldValue } from '../../../lib/users/fields/declaration.ts';
import { keyFields } from '../../../lib/users/fields/values.ts';
import { type ReturnOutcome, returnUsers, toReturnOutcome } from '../../../lib/users/return.ts';
import { findOwners } from '../../../lib/users/upsert.ts';
import {
  hasSameValues,
  type NewVersion,
  newUser,
  nextVersion,
  type StoredUser,
  tryParseStoredUser,
  type User,
} from '../../../lib/users/user.ts';
import { updateUser, writeUsers } from '../../../lib/users/write.ts';
import type { RowResult, Target } from '../../transfer/import-rows.ts';
import { findMissingPosts } from '../../transfer/missing-posts.ts';
import { type PostInput, toRowIssue, type UserRow } from '../../transfer/rows.ts';
import { readPosts } from './table-source.ts';

export type TableOptions = {
  keepIds: boolean;
  /** Stores the times of rows. Ids are then made of `createdAt`, unless `keepIds` is set. */
  keepTimes: boolean;
  update: boolean;
  /** The field that names the user of a row to update. Default: the id if it is known, otherwise the address. */
  by?: string | undefined;
  /** Also imports erased people. */
  despiteErasure: boolean;
  /** Start of the first run. An equal user that was created later comes from an earlier run of this import. */
  startedAt: string;
  /** The same in each run of an import, so a repeated row gets the same id. */
  importId: string;
};

/** `writesPosts`: the row's posts belong to this user. `isNew`: no user had this id before. */
type Written = { result: RowResult; user?: User; writesPosts?: boolean; isNew?: boolean };

export async function openTableTarget(options: TableOptions): Promise<Target> {
  const fields = ['id', ...keyFields];
  if (options.by !== undefined && !fields.includes(options.by))
    throw new Error(`--by must be one of ${fields.join(', ')}`);
  return {
    maxRows: 50,
    maxCharacters: 500_000,
    maxParallel: 32,
    isBusy,
    async write(rows) {
      const written = new Map<UserRow, Written>();
      for (let left = rows; left.length > 0; ) {
        const owners = options.update ? await findOwnersOfRows(left, options) : new Map<UserRow, StoredUser>();
        const unknown = left.filter((row) => !owners.has(row) && !lacksKey(row, options));
        const created = unknown.length > 0 ? await createUsers(unknown, options) : [];
        const outcomes = new Map(unknown.map((row, at) => [row, created[at] as ReturnOutcome])); // One outcome per row.
        await Promise.all(
          left.map(async (row) => {
            const [owner, outcome] = [owners.get(row), outcomes.get(row)];
            if (owner) written.set(row, await update(row, owner, options));
            else written.set(row, outcome ? await settle(row, outcome, options) : describeMissingKey(row, options));
          }),
        );
        const rejected = left.filter((row) => written.get(row)?.result.result === 'invalid');
        // An update of another row may have freed the value of a rejected row.
        left = options.update && rejected.length < left.length ? rejected : [];
      }
      for (const [row, { user, writesPosts, isNew = false }] of written) {
        if (!user || !writesPosts || row.posts.length === 0) continue;
        const missing = isNew ? row.posts : findMissingPosts(row.posts, await readPosts(user.id));
        await writePosts(row, missing, { author: user, isNew }, options);
      }
      return rows.flatMap((row) => written.get(row)?.result ?? []);
    },
  };
}

const readKey = ({ user }: UserRow, { by = 'email' }: TableOptions): UserKey | undefined => {
  const value = new Map<string, FieldValue>(Object.entries(user)).get(by);
  return value === undefined ? undefined : createUserKey(by, value);
};

const lacksKey = (row: UserRow, options: TableOptions): boolean =>
  options.by !== undefined && options.by !== 'id' && readKey(row, options) === undefined;

const describeMissingKey = ({ line }: UserRow, { by }: TableOptions): Written => ({
  result: { line, result: 'invalid', issues: [{ ...(by ? { column: by } : {}), message: 'is required' }] },
});

/** Reads in batches. */
async function findOwnersOfRows(rows: UserRow[], options: TableOptions): Promise<Map<UserRow, StoredUser>> {
  const { by, keepIds } = options;
  const found = new Map<UserRow, StoredUser>();
  if (by === undefined || by === 'id') {
    const keys = rows.flatMap(({ kept: { id } }) => (id === undefined ? [] : [userKey(id)]));
    const stored = (await getItems(keys, { ConsistentRead: true })).flatMap((item) => tryParseStoredUser(item) ?? []);
    const byId = new Map(stored.map((each) => [each.user.id, each]));
    for (const row of rows) {
      const owner = byId.get(row.kept.id ?? '');
      if (owner) found.set(row, owner);
    }
  }
  if (by === 'id' || (by === undefined && keepIds)) return found;
  const named = rows.flatMap((row) => {
    const key = found.has(row) ? undefined : readKey(row, options);
    return key ? [{ row, key }] : [];
  });
  const owners = await findOwners(named.map(({ key }) => key));
  for (const [at, { row }] of named.entries()) {
    const owner = owners[at]?.owner;
    if (owner) found.set(row, owner);
  }
  return found;
}

async function createUsers(rows: UserRow[], options: TableOptions): Promise<ReturnOutcome[]> {
  const { keepIds, keepTimes, despiteErasure } = options;
  const erased = keepIds || despiteErasure ? [] : await findErased(rows);
  const rest = rows.filter((row) => !erased.includes(row));
  const outcomes =
    keepIds || keepTimes
      ? // The page index must count users whose ids are older than its newest block.
        await returnUsers(rest.map((row) => ({ create: () => createUser(row, options), despiteErasure })))
      : (await writeUsers(rest.map((row) => ({ plan: () => ({ after: createUser(row, options) }) })))).map(
          toReturnOutcome,
        );
  return rows.map((row) =>
    erased.includes(row) ? { kind: 'erased' } : (outcomes[rest.indexOf(row)] as ReturnOutcome),
  ); // One outcome per row.
}

async function findErased(rows: UserRow[]): Promise<UserRow[]> {
  const toKey = (id: string) => deletionKey(userKey(id));
  const records = await getItems(
    rows.flatMap(({ kept: { id } }) => (id === undefined ? [] : [toKey(id)])),
    { ConsistentRead: true },
  );
  const erased = new Set(records.filter((record) => parseDeletion(record).erasure).map(formatKey));
  return rows.filter(({ kept: { id } }) => id !== undefined && erased.has(formatKey(toKey(id))));
}

function createUser(row: UserRow, { keepIds, keepTimes, importId }: TableOptions): NewVersion {
  const { user, kept, line } = row;
  const { createdAt = timestamp(), ...others } = keepTimes ? kept : {};
  const id = (keepIds && kept.id) || (keepTimes ? createRowId(createdAt, line, importId) : uuidv7());
  return newUser(user, SYSTEM, { ...others, id, createdAt });
}

/** Rows of one millisecond keep the order of the file. The other bits depend on the random `importId`. */
function createRowId(createdAt: string, line: number, importId: string): string {
  const random = createHash('sha256').update(`${importId} ${line}`).digest();
  return uuidv7({ msecs: Date.parse(createdAt), seq: line, random });
}

export const isBusy = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof ServiceError && error.reason === 'CONCURRENT_CHANGES');

async function settle(row: UserRow, created: ReturnOutcome, options: TableOptions): Promise<Written> {
  const { line } = row;
  if (created.kind === 'erased') return { result: { line, result: 'erased', id: row.kept.id ?? '' } }; // Found by its id.
  if (created.kind === 'written') return settleCreated(row, created);
  if (created.kind === 'rejected') return describeRejection(row, created.error);
  const { field: taken, owner } = created;
  const planned = createUser(row, options);
  const isEqual = hasSameValues(owner, planned);
  if (taken === 'id') {
    if (options.keepIds && options.update) return update(row, { user: owner }, options);
    // An import that was killed may have written this user without the posts.
    const writesPosts = isEqual && owner.by === SYSTEM;
    // Only this import makes its ids.
    return { ...done(line, options.keepIds ? 'exists' : 'created', owner), writesPosts };
  }
  const isOtherUser = options.update && options.by !== undefined && options.by !== 'email';
  if (taken !== 'email' || options.keepIds || isOtherUser)
    return { result: { line, result: 'invalid', issues: [describeTaken(taken, owner)] } };
  if (owner.version === planned.version && isEqual)
    return done(line, owner.createdAt >= options.startedAt ? 'created' : 'exists', owner);
  return options.update
    ? update(row, { user: owner }, options)
    : { ...done(line, 'exists', owner), writesPosts: false };
}

/** Throws an error without issues, because another attempt may succeed. */
function describeRejection({ line }: UserRow, error: ServiceError): Written {
  if (!error.issues) throw error;
  return { result: { line, result: 'invalid', issues: error.issues.map((issue) => toRowIssue(issue)) } };
}

function settleCreated({ line }: UserRow, { user, deletion }: ReturningUser): Written {
  const { result, ...written } = done(line, 'created', user);
  const isErased = deletion?.erasure !== undefined;
  return { ...written, result: { ...result, ...(isErased ? { despiteErasure: true } : {}) }, isNew: !deletion };
}

const done = (line: number, result: 'created' | 'updated' | 'unchanged' | 'exists', user: User): Written => ({
  result: { line, result, id: user.id },
  user,
  writesPosts: true,
});

const describeTaken = (column: string, { id }: User) => ({ column, message: `Another user has this ${column}: ${id}` });

/** After a killed run or a retry, the user already equals the row. */
function findEarlierOutcome(row: UserRow, { version, createdAt }: User, { startedAt, keepTimes }: TableOptions) {
  if (updated.has(row)) return 'updated';
  return version === 1 && createdAt >= startedAt && !keepTimes ? 'created' : 'unchanged';
}

/** On a retried update, the user already equals the row, but the result is still `updated`. */
const updated = new WeakSet<UserRow>();

async function update(row: UserRow, { user: owner }: { user: User }, options: TableOptions): Promise<Written> {
  const { line, user } = row;
  const { version } = nextVersion(owner, { id: owner.id, ...user }, SYSTEM);
  if (version === owner.version) return done(line, findEarlierOutcome(row, owner, options), owner);
  try {
    updated.add(row);
    return done(line, 'updated', await updateUser({ id: owner.id, ...user }, SYSTEM));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The user was deleted meanwhile. A retry creates the user again.
    if (error.code === 'NOT_FOUND') throw unavailable();
    // Errors with issues, such as a taken value or a fixed subject, are caused by the row.
    return describeRejection(row, error);
  }
}

/** Ids are from the file, or derived from author and content, so a repeated write creates no second post. */
async function writePosts(
  { posts, kept }: UserRow,
  missing: PostInput[],
  { author: { id: authorId, createdAt }, isNew }: { author: User; isNew: boolean },
  { keepIds, keepTimes }: TableOptions,
) {
  const isFormer = keepIds && !isNew ? await findFormerPosts(authorId, missing) : () => false;
  const stored = missing.map((post): StoredPost => {
    const { id, title, publishedAt = null, ...times } = post;
    const own = keepTimes ? times : {};
    const { version = 1 } = own;
    return {
      id: keepIds && id && authorId === kept.id ? id : createPostId(authorId, createdAt, posts.indexOf(post), post),
      ...{ authorId, title, publishedAt, by: SYSTEM },
      version: isFormer(post) ? Math.max(version, createHighVersion()) : version,
      createdAt: own.createdAt ?? createdAt,
      updatedAt: own.updatedAt ?? own.createdAt ?? createdAt,
    };
  });
  try {
    await createPosts(authorId, stored);
  } catch (error) {
    // NOT_FOUND: the author was deleted meanwhile, and the posts with it.
    if (!(error instanceof ServiceError && error.code === 'NOT_FOUND')) throw error;
  }
}

/** Detects posts that were deleted in the last two days, or with their author. */
async function findFormerPosts(authorId: string, posts: PostInput[]): Promise<(post: PostInput) => boolean> {
  const toKey = (id: string) => deletionKey(requirePostKey(id));
  const ofAuthor = deletionKey(userKey(authorId));
  const keys = [ofAuthor, ...posts.flatMap(({ id }) => (id === undefined ? [] : [toKey(id)]))];
  const found = new Set((await getItems(keys, { ConsistentRead: true })).map(formatKey));
  return ({ id }) => found.has(formatKey(ofAuthor)) || (id !== undefined && found.has(formatKey(toKey(id))));
}

/** Seconds since 1970 exceed any version of a deleted post, because no post changes once per second. */
const createHighVersion = () => Math.floor(environment.now() / 1000);

function createPostId(authorId: string, createdAt: string, at: number, { title, publishedAt }: PostInput): string {
  const random = createHash('sha256')
    .update(JSON.stringify([authorId, at, title, publishedAt]))
    .digest();
  return postId(authorId, uuidv7({ msecs: Date.parse(createdAt) + at, random }));
}
