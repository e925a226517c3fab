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
import { type ReturnOutcome, returnUsers, toReturnOutcome } from '../../../lib/users/return.ts';
import { hasSameValues, type NewVersion, newUser, nextVersion, type User } from '../../../lib/users/user.ts';
import { updateUser, writeUsers } from '../../../lib/users/write.ts';
import type { RowResult, Target } from '../../transfer/import-rows.ts';
import { findMissingPosts } from '../../transfer/missing-posts.ts';
import { type PostInput, toRowIssue, type UserRow } from '../../transfer/rows.ts';
import { readPosts } from './table-source.ts';

export type TableOptions = {
  keepIds: boolean;
  /** Without `keepIds`, also makes ids of the times. */
  keepTimes: boolean;
  update: boolean;
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
  return {
    maxRows: 50,
    maxCharacters: 500_000,
    maxParallel: 32,
    isBusy,
    async write(rows) {
      const written = new Map<UserRow, Written>();
      for (let left = rows; left.length > 0; ) {
        const created = await createUsers(left, options);
        const settled = await Promise.all(left.map((row, at) => settle(row, created[at] as ReturnOutcome, options))); // One outcome per row.
        for (const [at, row] of left.entries()) written.set(row, settled[at] as Written); // One result per row.
        const rejected = left.filter((_, at) => settled[at]?.result.result === 'invalid');
        // An update of another row may have freed the value of a rejected row.
        left = options.update && rejected.length < left.length ? rejected : [];
      }
      for (const [row, { user, writesPosts, isNew = false }] of written) {
        if (!user || !writesPosts || row.posts.length === 0) continue;
        const missing = isNew ? row.posts : findMissingPosts(row.posts, await readPosts(user.id));
        await writePosts(row, missing, { author: user, isNew }, options);
      }
      return [...written.values()].map(({ result }) => result);
    },
  };
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

const isBusy = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof ServiceError && error.reason === 'CONCURRENT_CHANGES');

async function settle(row: UserRow, created: ReturnOutcome, options: TableOptions): Promise<Written> {
  const { line } = row;
  if (created.kind === 'erased') return { result: { line, result: 'erased', id: row.kept.id ?? '' } }; // Found by its id.
  if (created.kind === 'written') return settleCreated(row, created);
  const { field: taken, owner } = created;
  const planned = createUser(row, options);
  const isEqual = hasSameValues(owner, planned);
  if (taken === 'id') {
    if (options.keepIds && options.update) return update(row, owner);
    // An import that was killed may have written this user without the posts.
    const writesPosts = isEqual && owner.by === SYSTEM;
    // Only this import makes its ids.
    return { ...done(line, options.keepIds ? 'exists' : 'created', owner), writesPosts };
  }
  if (taken !== 'email' || options.keepIds)
    return { result: { line, result: 'invalid', issues: [describeTaken(taken, owner)] } };
  if (owner.version === planned.version && isEqual)
    return done(line, owner.createdAt >= options.startedAt ? 'created' : 'exists', owner);
  return options.update ? update(row, owner) : { ...done(line, 'exists', owner), writesPosts: false };
}

function settleCreated({ line }: UserRow, { user, deletion }: ReturningUser): Written {
  const { result, ...written } = done(line, 'created', user);
  const isErased = deletion?.erasure !== undefined;
  return { ...written, result: { ...result, ...(isErased ? { despiteErasure: true } : {}) }, isNew: !deletion };
}

const done = (line: number, result: 'created' | 'updated' | 'exists', user: User): Written => ({
  result: { line, result, id: user.id },
  user,
  writesPosts: true,
});

const describeTaken = (column: string, { id }: User) => ({ column, message: `Another user has this ${column}: ${id}` });

/** On a retried update, the user already equals the row, but the result is still `updated`. */
const updated = new WeakSet<UserRow>();

async function update(row: UserRow, owner: User): Promise<Written> {
  const { line, user } = row;
  const { version } = nextVersion(owner, { id: owner.id, ...user }, SYSTEM);
  if (version === owner.version) return done(line, updated.has(row) ? 'updated' : 'exists', owner);
  try {
    updated.add(row);
    return done(line, 'updated', await updateUser({ id: owner.id, ...user }, SYSTEM));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The user was deleted meanwhile. A retry creates the user again.
    if (error.code === 'NOT_FOUND') throw unavailable();
    // Errors with issues, such as a taken value or a fixed subject, are caused by the row.
    if (!error.issues) throw error;
    return { result: { line, result: 'invalid', issues: error.issues.map((issue) => toRowIssue(issue)) } };
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
