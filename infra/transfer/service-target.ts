import { type Client, isInvalid, isTaken, ServiceError, type TypedDocument } from '../../lib/client/client.ts';
import { formatHash } from './hash.ts';
import type { RowResult, Target } from './import-rows.ts';
import { type RowIssue, toRowIssue, type UserInput, type UserRow } from './rows.ts';

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
  /** The keys of rows begin so: `file` unless the same rows may be created a second time, after they were deleted. */
  importId: string;
};

type KeyedRow = { row: UserRow; key: string };

/** Writes through the APIs of a deployment. */
export function openServiceTarget(client: Client, { update, importId }: Options): Target {
  const startedAt = new Date().toISOString();
  return {
    maxRows: 50,
    // A body has 100 kB at most, and a character up to four bytes.
    maxCharacters: 20_000,
    maxParallel: 16,
    isBusy,
    write: (rows) => createUsers(rows.map((row) => ({ row, key: createKey(row) }))),
  };

  /** The same row of the import has the same key in every run; the service knows it for a day. */
  function createKey({ line, user }: UserRow): string {
    return `import-${importId}-${line}-${formatHash(JSON.stringify(user))}`;
  }

  async function createUsers(keyed: KeyedRow[]): Promise<RowResult[]> {
    const users = keyed.map(({ row, key }) => ({ ...row.user, idempotencyKey: key }));
    const { createUsers } = await client.graphql(createUsersDocument, { input: { users } });
    const results: RowResult[] = [];
    for (const [at, each] of keyed.entries()) results.push(await settle(each, createUsers.results[at]));
    return results;
  }

  /** By its key, the service returns the user that an earlier run has created, also if the user was deleted since. */
  async function wasDeleted({ id, createdAt }: { id: string; createdAt: string }): Promise<boolean> {
    return createdAt < startedAt && (await client.users.get(id)) === undefined;
  }

  async function settle({ row, key }: KeyedRow, { user, error }: Result = MISSING): Promise<RowResult> {
    const { line } = row;
    if (user) {
      if (await wasDeleted(user)) return createAgain({ row, key: `${key}-${user.id}` });
      await createPosts({ row, key }, user.id);
      return { line, result: 'created', id: user.id };
    }
    if (error?.reason === 'EMAIL_TAKEN') return findOrUpdate({ row, key });
    if (error && REJECTED.includes(error.reason ?? error.code)) return reject(line, error);
    throw new ServiceError(
      error && BUSY.includes(error.reason ?? error.code) ? 503 : 500,
      error?.message ?? 'No answer',
      {
        code: error?.code ?? 'UNEXPECTED_ANSWER',
      },
    );
  }

  async function createAgain(keyed: KeyedRow): Promise<RowResult> {
    const [result] = await createUsers([keyed]);
    return result as RowResult; // One for each.
  }

  async function findOrUpdate({ row, key }: KeyedRow): Promise<RowResult> {
    const { line, user } = row;
    const owner = await client.users.find({ email: user.email });
    // The address has become free.
    if (!owner) throw new ServiceError(503, 'The user was deleted', { code: 'SERVICE_UNAVAILABLE' });
    const members = new Map<string, unknown>(Object.entries(owner));
    const isSame = Object.entries(user).every(([name, value]) => isEqual(members.get(name), value));
    if (!update) return { line, result: 'exists', id: owner.id };
    try {
      if (!isSame) await client.users.update(owner.id, user);
    } catch (error) {
      if (isInvalid(error) || isTaken(error)) return reject(line, { message: error.message, issues: error.issues });
      throw error;
    }
    await createPosts({ row, key }, owner.id);
    return { line, result: isSame ? 'exists' : 'updated', id: owner.id };
  }

  async function createPosts({ row, key }: KeyedRow, authorId: string): Promise<void> {
    for (const [at, { title, publishedAt }] of row.posts.entries())
      await client.posts.create(
        { authorId, title, ...(publishedAt ? { publishedAt } : {}) },
        { idempotencyKey: `${key}-${at}` },
      );
  }
}

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
