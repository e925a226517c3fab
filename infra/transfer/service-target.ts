import {
  type Client,
  isInvalid,
  isNotFound,
  isTaken,
  ServiceError,
  type TypedDocument,
} from '../../lib/client/client.ts';
import { formatHash } from './hash.ts';
import type { RowResult, Target } from './import-rows.ts';
import { findMissingPosts } from './missing-posts.ts';
import { readPosts } from './person.ts';
import { type PostInput, type RowIssue, toRowIssue, type UserInput, type UserRow } from './rows.ts';

type ItemError = { message: string; code: string; reason: string | null; issues: RowIssueOfApi[] | null };
type RowIssueOfApi = { path: string[]; message: string };
type Result = { user: { id: string; createdAt: string } | null; error: ItemError | null };

const createUsersDocument: TypedDocument<
  { createUsers: { results: Result[] } },
  { input: { users: (UserInput & { idempotencyKey: string })[] } }
> = `mutation CreateUsers($input: CreateUsersInput!) {
  createUsers(input: $input) { results { user { id createdAt } error { message code reason issues { path message } } } }
}`;

type Options = {
  update: boolean;
  /** The keys of rows begin so, in each run that continues the import. An import that begins has another one, and replays nothing. */
  importId: string;
};

/** `earlier` is the user that an earlier run of the import has created of the row, if that user has changed since. */
type KeyedRow = { row: UserRow; key: string; earlier?: string };

/** Writes through the APIs of a deployment. */
export function openServiceTarget(client: Client, { update, importId }: Options): Target {
  const startedAt = new Date().toISOString();
  /** A batch that is repeated finds what its first attempt has changed. */
  const updated = new WeakSet<UserRow>();
  return {
    maxRows: 50,
    // A body has 100 kB at most, and a character up to four bytes.
    maxCharacters: 20_000,
    maxParallel: 16,
    isBusy,
    write: (rows) => createUsers(rows.map((row) => ({ row, key: createRowKey(row) }))),
  };

  /** The same row of the import has the same key in every run; the service knows it for a day. */
  function createRowKey({ line, user }: UserRow): string {
    return `import-${importId}-${line}-${formatHash(JSON.stringify(user))}`;
  }

  async function createUsers(keyed: KeyedRow[]): Promise<RowResult[]> {
    const users = keyed.map(({ row, key }) => ({ ...row.user, idempotencyKey: key }));
    const { createUsers } = await client.graphql(createUsersDocument, { input: { users } });
    const results: RowResult[] = [];
    for (const [at, each] of keyed.entries()) results.push(await settle(each, createUsers.results[at]));
    return results;
  }

  async function settle({ row, key, earlier }: KeyedRow, { user, error }: Result = MISSING): Promise<RowResult> {
    const { line } = row;
    if (user) {
      if (await hasChanged(user)) return createAgain({ row, key: `${key}-${user.id}`, earlier: user.id });
      await createPosts(row, user.id, row.posts);
      return { line, result: 'created', id: user.id };
    }
    if (error?.reason === 'EMAIL_TAKEN') return findOrUpdate(row, earlier);
    if (error && REJECTED.includes(error.reason ?? error.code)) return reject(line, error);
    throw new ServiceError(
      error && BUSY.includes(error.reason ?? error.code) ? 503 : 500,
      error?.message ?? 'No answer',
      {
        code: error?.code ?? 'UNEXPECTED_ANSWER',
      },
    );
  }

  /** By its key, the service answers what an earlier run has created, whatever has become of the user since. */
  async function hasChanged({ id, createdAt }: { id: string; createdAt: string }): Promise<boolean> {
    return createdAt <= startedAt && (await client.users.get(id))?.version !== 1;
  }

  async function createAgain(keyed: KeyedRow): Promise<RowResult> {
    const [result] = await createUsers([keyed]);
    return result as RowResult; // One for each.
  }

  async function findOrUpdate(row: UserRow, earlier: string | undefined): Promise<RowResult> {
    const { line, user } = row;
    const owner = await client.users.find({ email: user.email });
    if (!owner) throw userDeleted();
    const members = new Map<string, unknown>(Object.entries(owner));
    const isSame = Object.entries(user).every(([name, value]) => isEqual(members.get(name), value));
    if (update && !isSame)
      try {
        updated.add(row);
        await client.users.update(owner.id, user);
      } catch (error) {
        if (isInvalid(error) || isTaken(error)) return reject(line, { message: error.message, issues: error.issues });
        throw isNotFound(error) ? userDeleted() : error;
      }
    if (row.posts.length > 0 && (update || owner.id === earlier))
      await createPosts(row, owner.id, findMissingPosts(row.posts, await readPosts(client, owner.id)));
    return { line, result: updated.has(row) ? 'updated' : 'exists', id: owner.id };
  }

  async function createPosts(row: UserRow, authorId: string, posts: PostInput[]): Promise<void> {
    try {
      for (const post of posts) {
        const { title, publishedAt } = post;
        await client.posts.create(
          { authorId, title, ...(publishedAt ? { publishedAt } : {}) },
          { idempotencyKey: `${createRowKey(row)}-${authorId}-${row.posts.indexOf(post)}` },
        );
      }
    } catch (error) {
      // The author was deleted meanwhile, and the posts would have been, too.
      if (!isNotFound(error)) throw error;
    }
  }
}

/** The address has become free: the next attempt creates the user. */
const userDeleted = () => new ServiceError(503, 'The user was deleted', { code: 'SERVICE_UNAVAILABLE' });

const MISSING: Result = { user: null, error: null };
const REJECTED = ['BAD_USER_INPUT', 'VALUE_TAKEN'];
const BUSY = ['SERVICE_UNAVAILABLE', 'CONCURRENT_CHANGES'];
const TEMPORARY = [0, 429, 502, 503, 504];

const isBusy = (error: unknown): boolean =>
  error instanceof ServiceError && (TEMPORARY.includes(error.status) || BUSY.includes(error.code));

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function reject(line: number, { message, issues }: { message: string; issues?: readonly Issue[] | null }): RowResult {
  const rowIssues: RowIssue[] = (issues ?? []).map((issue) => toRowIssue(issue));
  return { line, result: 'invalid', issues: rowIssues.length > 0 ? rowIssues : [{ message }] };
}

type Issue = { path: readonly (string | number)[]; message: string };
