import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { SYSTEM } from '../../../lib/auth/caller.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { postId } from '../../../lib/dynamodb/keys.ts';
import { timestamp } from '../../../lib/environment.ts';
import { isUnavailable, ServiceError } from '../../../lib/errors.ts';
import { type CreateResult, createMany } from '../../../lib/features/bulk/create-many.ts';
import { changeValues, pickOwnFields } from '../../../lib/features/own-fields/inputs.ts';
import type { IndexOptions } from '../../../lib/features/page-index/indexer.ts';
import { rebuildIndex } from '../../../lib/features/page-index/rebuild.ts';
import { WRITE_ATTEMPT_MS } from '../../../lib/features/page-index/timing.ts';
import { putMissingEntries, putNewEntries } from '../../../lib/features/search/entries.ts';
import { createPosts, type StoredPost } from '../../../lib/posts/create.ts';
import type { NewVersion, User } from '../../../lib/users/schema.ts';
import { updateUser } from '../../../lib/users/update.ts';
import type { RowResult, Target } from '../../transfer/import-rows.ts';
import { toRowIssue, type UserInput, type UserRow } from '../../transfer/rows.ts';

export type TableOptions = {
  keepIds: boolean;
  keepTimes: boolean;
  update: boolean;
  /** A user like a row who was created since then is what an earlier run has made of it. */
  startedAt: string;
  pause?: IndexOptions['pause'];
};

/** What became of a row, and of which user. Posts are written of users who are as the row says. */
type Written = { result: RowResult; user?: User; writesPosts?: boolean };

/** Writes to the table of the environment, by the functions that the service itself uses. */
export async function openTableTarget(options: TableOptions): Promise<Target> {
  const { keepIds, pause } = options;
  const isFollowed = await hasStream();
  return {
    maxRows: 50,
    maxCharacters: 500_000,
    maxParallel: 32,
    isBusy: isUnavailable,
    async write(rows) {
      const created = await createMany(
        rows.map((row) => () => createUser(row, options)),
        keepIds ? {} : { attemptMs: WRITE_ATTEMPT_MS },
      );
      const written = await Promise.all(rows.map((row, at) => settle(row, created[at] as CreateResult, options))); // One for each.
      // Without a stream, there is no on-change to write them.
      if (!isFollowed) {
        const isNew = (_: unknown, at: number) => created[at]?.taken === undefined;
        const isFound = (_: unknown, at: number) => !isNew(_, at);
        await putNewEntries(written.filter(isNew).flatMap(({ user }) => user ?? []));
        await putMissingEntries(written.filter(isFound).flatMap(({ user }) => user ?? []));
      }
      for (const [at, { user, writesPosts }] of written.entries())
        if (user && writesPosts) await writePosts(rows[at] as UserRow, user, options);
      return written.map(({ result }) => result);
    },
    // Users who are not new are in blocks that were counted without them.
    ...(keepIds ? { finish: () => rebuildIndex(pause ? { pause } : {}) } : {}),
  };
}

async function hasStream(): Promise<boolean> {
  const { Table } = await table.send(new DescribeTableCommand({ TableName }));
  return Table?.StreamSpecification?.StreamEnabled ?? false;
}

function createUser({ user, kept }: UserRow, { keepIds, keepTimes }: TableOptions): NewVersion {
  const { name, email } = user;
  const fields = changeValues(undefined, pickOwnFields(user));
  const now = timestamp();
  const { createdAt = now, updatedAt = createdAt, version = 1 } = keepTimes ? kept : {};
  const id = (keepIds && kept.id) || uuidv7();
  return { id, name, email, ...(fields ? { fields } : {}), createdAt, updatedAt, version, by: SYSTEM };
}

async function settle(row: UserRow, created: CreateResult, options: TableOptions): Promise<Written> {
  const { line } = row;
  if (created.taken === undefined) return done(line, 'created', created.user);
  const { taken, owner } = created;
  if (taken === 'id') return done(line, 'exists', owner);
  const isSameUser = taken === 'email' && (!options.keepIds || owner.id === row.kept.id);
  if (!isSameUser) return { result: { line, result: 'invalid', issues: [describeTaken(taken, owner)] } };
  if (owner.version === 1 && isDeepStrictEqual(pickInput(owner), pickInput(createUser(row, options))))
    return done(line, owner.createdAt >= options.startedAt ? 'created' : 'exists', owner);
  return options.update ? update(row, owner) : { ...done(line, 'exists', owner), writesPosts: false };
}

const done = (line: number, result: 'created' | 'updated' | 'exists', user: User): Written => ({
  result: { line, result, id: user.id },
  user,
  writesPosts: true,
});

const describeTaken = (column: string, { id }: User) => ({ column, message: `The user ${id} has this ${column}` });

const pickInput = ({ name, email, fields }: User) => ({ name, email, fields });

async function update({ line, user }: UserRow, owner: User): Promise<Written> {
  if (!differs(user, owner)) return done(line, 'exists', owner);
  try {
    return done(line, 'updated', await updateUser({ id: owner.id, ...user }, SYSTEM));
  } catch (error) {
    if (!(error instanceof ServiceError && error.reason === 'VALUE_TAKEN')) throw error;
    return { result: { line, result: 'invalid', issues: (error.issues ?? []).map((issue) => toRowIssue(issue)) } };
  }
}

function differs(user: UserInput, { name, email, fields = {} }: User): boolean {
  const changes = pickOwnFields(user);
  const isKept = Object.entries(changes).every(([name, value]) => isDeepStrictEqual(fields[name], value));
  return user.name !== name || user.email !== email || !isKept;
}

/** Posts have the ids of the file, or such as follow from their author: so they are written once, however often. */
async function writePosts({ posts, kept }: UserRow, { id: authorId, createdAt }: User, options: TableOptions) {
  const { keepIds, keepTimes } = options;
  const stored = posts.map(({ id, title, publishedAt = null, ...times }, at): StoredPost => {
    const own = keepTimes ? times : {};
    return {
      id: keepIds && id && authorId === kept.id ? id : createPostId(authorId, createdAt, at),
      ...{ authorId, title, publishedAt, version: own.version ?? 1, by: SYSTEM },
      createdAt: own.createdAt ?? createdAt,
      updatedAt: own.updatedAt ?? own.createdAt ?? createdAt,
    };
  });
  await createPosts(authorId, stored);
}

function createPostId(authorId: string, createdAt: string, at: number): string {
  const random = createHash('sha256').update(`${authorId} ${at}`).digest();
  return postId(authorId, uuidv7({ msecs: Date.parse(createdAt) + at, random }));
}
