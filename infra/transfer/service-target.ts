import {
  type Client,
  ClientError,
  isInvalid,
  isNotFound,
  isTaken,
  type TypedDocument,
} from '../../lib/client/client.ts';
import type { CreateUsersMutation, CreateUsersMutationVariables } from './document-types.ts';
import { formatHash } from './hash.ts';
import type { RowResult, Target } from './import-rows.ts';
import { findMissingPosts } from './missing-posts.ts';
import { readPosts } from './person.ts';
import { type PostInput, type RowIssue, toRowIssue, type UserRow } from './rows.ts';

const CREATE_USERS: TypedDocument<CreateUsersMutation, CreateUsersMutationVariables> =
  `mutation CreateUsers($input: CreateUsersInput!) {
  createUsers(input: $input) { results { user { id createdAt } error { message code reason issues { path message } } } }
}`;

type Result = NonNullable<CreateUsersMutation['createUsers']>['results'][number];

/** A document has so many aliases at most. */
const MAX_ALIASES = 15;

type Options = {
  update: boolean;
  /** Writes people although they were erased. */
  despiteErasure?: boolean;
  /** The keys of rows begin so, in each run that continues the import. An import that begins has another one, and replays nothing. */
  importId: string;
};

/** `earlier` is the user that an earlier run of the import has created of the row, if that user has changed since. */
type KeyedRow = { row: UserRow; key: string; earlier?: string };

/** Writes through the APIs of a deployment. */
export function openServiceTarget(client: Client, { update, despiteErasure = false, importId }: Options): Target {
  const startedAt = new Date().toISOString();
  /** A batch that is repeated finds what its first attempt has changed. */
  const updated = new WeakSet<UserRow>();
  /** A batch that is repeated sends only the rows without a result, so that it comes to its end however busy the service is. */
  const settled = new WeakMap<UserRow, RowResult>();
  return {
    maxRows: 50,
    // A body has 100 kB at most, and a character up to four bytes.
    maxCharacters: 20_000,
    maxParallel: 16,
    isBusy,
    async write(rows) {
      await settleErased(rows.filter((row) => !settled.has(row)));
      const left = rows.filter((row) => !settled.has(row));
      if (left.length > 0) await createUsers(left.map((row) => ({ row, key: createRowKey(row) })));
      return rows.flatMap((row) => settled.get(row) ?? []);
    },
  };

  /** People who were erased under the ids that the file has are skipped: they would come back under other ids. */
  async function settleErased(rows: UserRow[]): Promise<void> {
    if (despiteErasure) return;
    const named = rows.flatMap((row) => (row.kept.id === undefined ? [] : [{ row, id: row.kept.id }]));
    for (let at = 0; at < named.length; at += MAX_ALIASES) {
      const part = named.slice(at, at + MAX_ALIASES);
      const ids = part.map(({ id }) => id);
      const erased = await findErased(client, ids);
      for (const { row, id } of part) if (erased.has(id)) settled.set(row, { line: row.line, result: 'erased', id });
    }
  }

  /** A row of the import has the same idempotency key in every run; the service knows it for a day. */
  function createRowKey({ line, user }: UserRow): string {
    return `import-${importId}-${line}-${formatHash(JSON.stringify(user))}`;
  }

  /** Rows that the service was too busy to create do not keep the others from their results. Throws once those have them. */
  async function createUsers(keyed: KeyedRow[]): Promise<void> {
    const users = keyed.map(({ row, key }) => ({ ...row.user, idempotencyKey: key }));
    const { createUsers } = await client.graphql(CREATE_USERS, { input: { users } }, { idempotent: true });
    const errors: unknown[] = [];
    for (const [at, each] of keyed.entries()) {
      const result = createUsers?.results[at] ?? MISSING;
      try {
        settled.set(each.row, await settle(each, result));
      } catch (error) {
        errors.push(error);
        // A further request has failed, and those of other rows would fail, too.
        if (result.user || result.error?.reason === 'EMAIL_TAKEN') break;
      }
    }
    if (errors.length > 0) throw errors.find((error) => !isBusy(error)) ?? errors[0];
  }

  async function settle({ row, key, earlier }: KeyedRow, { user, error }: Result): Promise<RowResult> {
    const { line } = row;
    if (user) {
      if (await hasChanged(user)) return createAgain({ row, key: `${key}-${user.id}`, earlier: user.id });
      await createPosts(row, user.id, row.posts);
      return { line, result: 'created', id: user.id };
    }
    if (error?.reason === 'EMAIL_TAKEN') return findOrUpdate(row, earlier);
    if (error && REJECTED.includes(error.reason ?? error.code)) return reject(line, error);
    throw new ClientError(
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
    await createUsers([keyed]);
    return settled.get(keyed.row) as RowResult; // It throws unless there is one.
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

/** Returns which of the users were erased, or are being erased. */
async function findErased(client: Client, ids: string[]): Promise<Set<string>> {
  const variables = Object.fromEntries(ids.map((id, at) => [`id${at}`, id]));
  const names = Object.keys(variables);
  const query: TypedDocument<
    Record<string, { id: string } | null>,
    Record<string, string>
  > = `query Erasures(${names.map((name) => `$${name}: ID!`).join(', ')}) {
  ${names.map((name) => `${name}: erasure(id: $${name}) { id }`).join('\n  ')}
}`;
  const erasures = await client.graphql(query, variables);
  return new Set(Object.values(erasures).flatMap((erasure) => erasure?.id ?? []));
}

/** The address has become free: the next attempt creates the user. */
const userDeleted = () => new ClientError(503, 'The user was deleted', { code: 'SERVICE_UNAVAILABLE' });

const MISSING: Result = { user: null, error: null };
const REJECTED = ['BAD_USER_INPUT', 'VALUE_TAKEN'];
const BUSY = ['SERVICE_UNAVAILABLE', 'CONCURRENT_CHANGES'];
const TEMPORARY = [0, 429, 502, 503, 504];

const isBusy = (error: unknown): boolean =>
  error instanceof ClientError && (TEMPORARY.includes(error.status) || BUSY.includes(error.code));

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function reject(line: number, { message, issues }: { message: string; issues?: readonly Issue[] | null }): RowResult {
  const rowIssues: RowIssue[] = (issues ?? []).map((issue) => toRowIssue(issue));
  return { line, result: 'invalid', issues: rowIssues.length > 0 ? rowIssues : [toRowIssue({ path: [], message })] };
}

type Issue = { path: readonly (string | number)[]; message: string };
