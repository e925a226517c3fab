import {
  type Client,
  ClientError,
  isInvalid,
  isNotFound,
  type TypedDocument,
  type User,
} from '../../lib/client/client.ts';
import { isTemporary } from '../../lib/client/transport.ts';
import { formatCanonicalJson, isEqualJson } from '../../lib/input/json-equality.ts';
import { createEmailClaim } from '../../lib/users/derived.ts';
import type { CreateUsersMutation, CreateUsersMutationVariables } from './document-types.ts';
import { formatHash } from './hash.ts';
import type { RowResult, Target } from './import-rows.ts';
import { findMissingPosts } from './missing-posts.ts';
import { readPosts } from './person.ts';
import { type PostInput, type RowIssue, toRowIssue, type UserRow } from './rows.ts';
import { MAX_ALIASES } from './service-groups.ts';

const CREATE_USERS: TypedDocument<CreateUsersMutation, CreateUsersMutationVariables> =
  `mutation CreateUsers($input: CreateUsersInput!) {
  createUsers(input: $input) { results { user { id createdAt } error { message code reason issues { path message } } } }
}`;

type Result = NonNullable<CreateUsersMutation['createUsers']>['results'][number];

type Options = {
  update: boolean;
  /** The field that names the user of a row to update. Default: the id if it is known, otherwise the address. */
  by?: string | undefined;
  /** Start of the first run, as text. Equal users that were written later come from this import. */
  startedAt?: string | undefined;
  /** Also imports erased people. */
  despiteErasure?: boolean;
  /** Part of idempotency keys. The same in each run, so a continued import creates no user twice. */
  importId: string;
};

/** `earlier`: the user that an earlier run created from the row, if changed since. */
type KeyedRow = { row: UserRow; key: string; earlier?: string };

export function openServiceTarget(client: Client, options: Options): Target {
  const { update, by, despiteErasure = false, importId } = options;
  const startedAt = new Date().toISOString();
  const { startedAt: importStartedAt = startedAt } = options;
  /** Rows that this run has sent as updates. A retry finds an equal user, and must still report `updated`. */
  const updated = new WeakSet<UserRow>();
  /** A retry sends only rows without a result, so a batch finishes even if the service stays busy. */
  const settled = new WeakMap<UserRow, RowResult>();
  return {
    maxRows: 50,
    // Bodies have at most 100 kB, and characters at most four bytes.
    maxCharacters: 20_000,
    maxParallel: 16,
    isBusy,
    async write(rows) {
      for (let left = rows.filter((row) => !settled.has(row)); left.length > 0; ) {
        await (update ? updateUsers(left) : createAll(await settleKnown(left)));
        const rejected = left.filter((row) => settled.get(row)?.result === 'invalid');
        // An update of another row may have freed the value of a rejected row.
        left = update && rejected.length < left.length ? rejected : [];
        for (const row of left) settled.delete(row);
      }
      return rows.flatMap((row) => settled.get(row) ?? []);
    },
  };

  /** Skips rows with the id of a user, who may have another address by now. Returns the other rows. */
  async function settleKnown(rows: UserRow[]): Promise<UserRow[]> {
    const owners = await findByIds(client, rows);
    for (const [row, { id }] of owners) settled.set(row, { line: row.line, result: 'exists', id });
    return rows.filter((row) => !owners.has(row));
  }

  /** Skips erased people, because creating them would store them again, under other ids. Returns the other rows. */
  async function settleErased(rows: UserRow[]): Promise<UserRow[]> {
    const erased = despiteErasure ? new Set<string>() : await findErased(client, rows);
    const isErased = ({ kept: { id } }: UserRow) => id !== undefined && erased.has(id);
    for (const row of rows)
      if (isErased(row)) settled.set(row, { line: row.line, result: 'erased', id: row.kept.id ?? '' });
    return rows.filter((row) => !isErased(row));
  }

  async function createAll(rows: UserRow[]): Promise<void> {
    const left = await settleErased(rows);
    if (left.length > 0) await createUsers(left.map((row) => ({ row, key: createRowKey(row) })));
  }

  async function updateUsers(rows: UserRow[]): Promise<void> {
    const unknown = by === undefined || by === 'id' ? await updateById(rows) : rows;
    await (by === 'id' ? createAll(unknown) : upsert(await settleErased(unknown), by ?? 'email'));
  }

  /** Returns the rows without a known id. */
  async function updateById(rows: UserRow[]): Promise<UserRow[]> {
    const owners = await findByIds(client, rows);
    const changed: UserRow[] = [];
    for (const [row, owner] of owners)
      if (isEqualUser(row, owner)) await settleWritten(row, owner, 'unchanged');
      else changed.push(row);
    const results = await client.users.updateMany(
      changed.map(({ user, kept }) => ({ user: kept.id ?? '', changes: user })),
    );
    await settleEach(changed, results, ({ user, error }, row) =>
      user
        ? settleWritten(row, user, user.version === owners.get(row)?.version ? 'unchanged' : 'updated')
        : settleError(row, error),
    );
    return rows.filter((row) => !owners.has(row));
  }

  /** Creates or updates. The service reads the users in batches, and writes only changed ones. */
  async function upsert(rows: UserRow[], field: string): Promise<void> {
    const users = rows.map(({ user }) => user);
    const results = await client.users.upsertMany(field as 'email', users, { keepOmitted: true });
    await settleEach(rows, results, ({ user, outcome, error }, row) =>
      user ? settleWritten(row, user, outcome.toLowerCase() as 'created') : settleError(row, error),
    );
  }

  /** If the service was too busy for some rows, stores the other results before throwing. */
  async function settleEach<Each>(
    rows: UserRow[],
    results: readonly Each[],
    settleOne: (result: Each, row: UserRow) => Promise<void>,
  ): Promise<void> {
    const errors: unknown[] = [];
    for (const [at, row] of rows.entries())
      await settleOne(results[at] as Each, row).catch((error: unknown) => errors.push(error)); // One result per row.
    if (errors.length > 0) throw errors.find((error) => !isBusy(error)) ?? errors[0];
  }

  async function settleWritten(row: UserRow, user: User, outcome: 'created' | 'updated' | 'unchanged'): Promise<void> {
    if (outcome === 'updated') updated.add(row);
    const isNew = outcome === 'created';
    if (row.posts.length > 0)
      await createPosts(
        row,
        user.id,
        isNew ? row.posts : findMissingPosts(row.posts, await readPosts(client, user.id)),
      );
    const result = outcome === 'unchanged' ? findEarlierOutcome(row, user) : outcome;
    settled.set(row, { line: row.line, result, id: user.id });
  }

  /** After a lost answer or a killed run, the user already equals the row. */
  function findEarlierOutcome(row: UserRow, user: User): 'created' | 'updated' | 'unchanged' {
    if (user.version === 1) return user.createdAt >= importStartedAt ? 'created' : 'unchanged';
    return updated.has(row) || user.updatedAt >= importStartedAt ? 'updated' : 'unchanged';
  }

  async function settleError(row: UserRow, error: ClientError): Promise<void> {
    if (!isInvalid(error) && !namesField(error)) throw isNotFound(error) ? userDeleted() : error;
    settled.set(row, reject(row.line, error));
  }

  /** The service stores keys for a day. */
  function createRowKey({ line, user }: UserRow): string {
    return `import-${importId}-${line}-${formatHash(formatCanonicalJson(user))}`;
  }

  /** If the service was too busy for some rows, stores the other results before throwing. */
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
    if (error?.reason === 'EMAIL_TAKEN' && !update) return findExisting(row, earlier);
    if (error && (error.code === 'BAD_USER_INPUT' || namesField(error))) return reject(line, error);
    throw new ClientError(
      error && BUSY.includes(error.reason ?? error.code) ? 503 : 500,
      error?.message ?? 'No answer',
      {
        code: error?.code ?? 'UNEXPECTED_ANSWER',
      },
    );
  }

  /** The replayed response of an idempotency key contains the user as created. */
  async function hasChanged({ id, createdAt }: { id: string; createdAt: string }): Promise<boolean> {
    return createdAt <= startedAt && (await client.users.get(id))?.version !== 1;
  }

  async function createAgain(keyed: KeyedRow): Promise<RowResult> {
    await createUsers([keyed]);
    return settled.get(keyed.row) as RowResult; // createUsers throws unless there is a result.
  }

  async function findExisting(row: UserRow, earlier: string | undefined): Promise<RowResult> {
    const { line, user } = row;
    const owner = await client.users.find({ email: user.email });
    if (!owner) throw userDeleted();
    if (row.posts.length > 0 && owner.id === earlier)
      await createPosts(row, owner.id, findMissingPosts(row.posts, await readPosts(client, owner.id)));
    return { line, result: 'exists', id: owner.id };
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
      // NOT_FOUND: the author was deleted meanwhile, and the posts with it.
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Numbers of rows by the change that an update would make. `moved`: found by the id, with another address. */
export type Comparison = { unchanged: number; changed: number; moved: number; created: number; erased: number };

/** A row that an update would change, and the names of the changed fields. */
export type RowChange = { row: Pick<UserRow, 'line' | 'user'>; stored: User; changed: string[] };

/** Finds the users of rows like an update, and adds to `counts` instead of writing. */
export function openComparison(
  client: Client,
  counts: Comparison,
  onChange: (change: RowChange) => void = () => {},
): Target {
  return {
    ...{ maxRows: 100, maxCharacters: 1_000_000, maxParallel: 16, isBusy },
    async write(rows) {
      const byId = await findByIds(client, rows);
      const unknown = rows.filter((row) => !byId.has(row));
      const erased = await findErased(client, unknown);
      const named = unknown.filter(({ kept }) => !erased.has(kept.id ?? ''));
      const emails = named.map(({ user }) => user.email);
      const { usersByEmails } = emails.length > 0 ? await client.graphql(BY_EMAILS, { emails }) : { usersByEmails: [] };
      const byEmail = await findByIds(
        client,
        named.map((row, at) => ({ ...row, kept: { id: usersByEmails[at]?.id } })),
      );
      for (const [row, owner] of [...byId, ...byEmail]) {
        const isMoved = formatAddress(row.user) !== formatAddress(owner);
        const changed = listChanged(row, owner);
        counts[changed.length === 0 ? 'unchanged' : isMoved ? 'moved' : 'changed']++;
        if (changed.length > 0) onChange({ row, stored: owner, changed });
      }
      counts.erased += unknown.length - named.length;
      counts.created += named.length - byEmail.size;
      return rows.map(({ line }) => ({ line, result: 'valid' }));
    },
  };
}

const BY_EMAILS: TypedDocument<{ usersByEmails: ({ id: string } | null)[] }, { emails: string[] }> =
  'query UsersByEmails($emails: [String!]!) { usersByEmails(emails: $emails) { id } }';

const formatAddress = ({ email }: { email: string }) => createEmailClaim(email).key.pk;

async function findByIds<Each extends { kept: { id?: string | undefined } }>(
  client: Client,
  rows: readonly Each[],
): Promise<Map<Each, User>> {
  const named = rows.filter(({ kept }) => kept.id !== undefined);
  const found = await client.users.getMany(named.map(({ kept }) => kept.id ?? ''));
  return new Map(named.flatMap((row, at) => (found[at] ? [[row, found[at]] as const] : [])));
}

async function findErased(client: Client, rows: readonly UserRow[]): Promise<Set<string>> {
  const ids = rows.flatMap(({ kept }) => kept.id ?? []);
  const erased = new Set<string>();
  for (let at = 0; at < ids.length; at += MAX_ALIASES) {
    const variables = Object.fromEntries(ids.slice(at, at + MAX_ALIASES).map((id, index) => [`id${index}`, id]));
    const names = Object.keys(variables);
    const query: TypedDocument<
      Record<string, { id: string } | null>,
      Record<string, string>
    > = `query Erasures(${names.map((name) => `$${name}: ID!`).join(', ')}) {
  ${names.map((name) => `${name}: erasure(id: $${name}) { id }`).join('\n  ')}
}`;
    for (const erasure of Object.values(await client.graphql(query, variables))) if (erasure) erased.add(erasure.id);
  }
  return erased;
}

/** The user with the row's address was deleted meanwhile. A retry creates the user. */
const userDeleted = () => new ClientError(503, 'The user was deleted', { code: 'SERVICE_UNAVAILABLE' });

const MISSING: Result = { user: null, error: null };
/** True for errors such as a taken value or a fixed subject: the same row would fail again. */
const namesField = ({ issues }: { issues?: readonly Issue[] | null }): boolean => (issues?.length ?? 0) > 0;

const BUSY = ['SERVICE_UNAVAILABLE', 'CONCURRENT_CHANGES'];

export const isBusy = (error: unknown): boolean =>
  error instanceof ClientError && (isTemporary(error) || BUSY.includes(error.code));

function reject(line: number, { message, issues }: { message: string; issues?: readonly Issue[] | null }): RowResult {
  const rowIssues: RowIssue[] = (issues ?? []).map((issue) => toRowIssue(issue));
  return { line, result: 'invalid', issues: rowIssues.length > 0 ? rowIssues : [toRowIssue({ path: [], message })] };
}

const isEqualUser = (row: Pick<UserRow, 'user'>, stored: User): boolean => listChanged(row, stored).length === 0;

function listChanged({ user }: Pick<UserRow, 'user'>, stored: User): string[] {
  const members = new Map<string, unknown>(Object.entries(stored));
  return Object.entries(user).flatMap(([name, value]) => (isEqualJson(members.get(name), value) ? [] : [name]));
}

type Issue = { path: readonly (string | number)[]; message: string };
