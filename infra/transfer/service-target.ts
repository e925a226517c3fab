import { type Client, isInvalid, isTaken, ServiceError, type TypedDocument } from '../../lib/client/client.ts';
import { formatHash } from './hash.ts';
import type { RowResult, Target } from './import-rows.ts';
import { type RowIssue, toRowIssue, type UserInput, type UserRow } from './rows.ts';

type ItemError = { message: string; code: string; reason: string | null; issues: RowIssueOfApi[] | null };
type RowIssueOfApi = { path: string[]; message: string };
type Result = { user: { id: string } | null; error: ItemError | null };

const createUsersDocument: TypedDocument<
  { createUsers: { results: Result[] } },
  { input: { users: (UserInput & { idempotencyKey: string })[] } }
> = `mutation CreateUsers($input: CreateUsersInput!) {
  createUsers(input: $input) { results { user { id } error { message code reason issues { path message } } } }
}`;

type Options = {
  update: boolean;
  /** The keys of rows begin so: `file` unless the same rows may be created a second time, after they were deleted. */
  importId: string;
};

/** Writes through the APIs of a deployment. */
export function openServiceTarget(client: Client, { update, importId }: Options): Target {
  return {
    maxRows: 50,
    // A body has 100 kB at most, and a character up to four bytes.
    maxCharacters: 20_000,
    maxParallel: 16,
    isBusy,
    async write(rows) {
      const users = rows.map((row) => ({ ...row.user, idempotencyKey: createKey(row) }));
      const { createUsers } = await client.graphql(createUsersDocument, { input: { users } });
      const results: RowResult[] = [];
      for (const [at, row] of rows.entries()) results.push(await settle(row, createUsers.results[at]));
      return results;
    },
  };

  /** The same row of the import has the same key in every run; the service knows it for a day. */
  function createKey({ line, user }: UserRow): string {
    return `import-${importId}-${line}-${formatHash(JSON.stringify(user))}`;
  }

  async function settle(row: UserRow, { user, error }: Result = MISSING): Promise<RowResult> {
    const { line } = row;
    if (user) {
      await createPosts(row, user.id);
      return { line, result: 'created', id: user.id };
    }
    if (error?.reason === 'EMAIL_TAKEN') return findOrUpdate(row);
    if (error && REJECTED.includes(error.reason ?? error.code)) return reject(line, error);
    throw new ServiceError(
      error && BUSY.includes(error.reason ?? error.code) ? 503 : 500,
      error?.message ?? 'No answer',
      {
        code: error?.code ?? 'UNEXPECTED_ANSWER',
      },
    );
  }

  async function findOrUpdate(row: UserRow): Promise<RowResult> {
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
    await createPosts(row, owner.id);
    return { line, result: isSame ? 'exists' : 'updated', id: owner.id };
  }

  async function createPosts(row: UserRow, authorId: string): Promise<void> {
    for (const [at, { title, publishedAt }] of row.posts.entries())
      await client.posts.create(
        { authorId, title, ...(publishedAt ? { publishedAt } : {}) },
        { idempotencyKey: `${createKey(row)}-${at}` },
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
