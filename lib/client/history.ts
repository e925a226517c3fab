import type { Change } from './changes.ts';
import { isExisting, rejectOptions, wasRetried } from './errors.ts';
import { findNext, type PageInfo, readPages } from './pages.ts';
import type { Signal, Transport, TypedDocument } from './transport.ts';
import { type OwnFields, removeNulls, selectUser, type User } from './users.ts';

/** `before` is null for a creation, `after` for a deletion. `changed` names the changed members. */
export type UserHistoryEntry<User> = Pick<Change, 'kind' | 'at' | 'by'> & {
  version: number | null;
  before: User | null;
  after: User | null;
  changed: string[];
  /** Id of the user that `mergeUsers` added to this one by this change. */
  merged: string | null;
  /** Id of the user that `mergeUsers` merged this one into by this deletion. */
  mergedInto: string | null;
};

type HistoryOptions = { pageSize?: number | undefined } & Signal;
type HistoryRequest = { after?: string | undefined; limit?: number | undefined } & Signal;

/** Changes before `since` have expired. */
export type HistoryPage<User> = { entries: UserHistoryEntry<User>[]; since: string; next?: string | undefined };

/** `mergedInto`: id of the user that a merge kept. `undoMerge` restores both. */
export type DeletedUser<User> = Pick<Change, 'at' | 'by'> & {
  /** The user before the deletion. */
  user: User;
  /** After this time, `restore` fails. */
  restorableUntil: string;
  mergedInto: string | null;
};

export type DeletedUsersPage<User> = { deleted: DeletedUser<User>[]; next?: string | undefined };

export type History<Fields extends OwnFields = object> = {
  /** Lists the changes of a user, latest first, also after the user's deletion. Throws NOT_FOUND if none are kept. */
  history(id: string, options?: HistoryOptions): AsyncGenerator<UserHistoryEntry<User<Fields>>, void, undefined>;

  /** Pass `next` as `after` to get the following page, if any. */
  historyPage(id: string, request?: HistoryRequest): Promise<HistoryPage<User<Fields>>>;

  /** Lists the deleted users that `restore` can restore, latest deletion first. A deletion appears within seconds. */
  deleted(options?: HistoryOptions): AsyncGenerator<DeletedUser<User<Fields>>, void, undefined>;

  /** Pass `next` as `after` to get the following page. A page may be empty although more follow. */
  deletedPage(request?: HistoryRequest): Promise<DeletedUsersPage<User<Fields>>>;

  /**
   * Restores a deleted user under the same id, with the last values in the history. Throws NOT_FOUND if the person was
   * erased or no history is kept, and USER_EXISTS, EMAIL_TAKEN or VALUE_TAKEN.
   */
  restore(id: string, options?: Signal): Promise<User<Fields>>;
};

export function createHistory<Fields extends OwnFields>(
  url: string,
  transport: Transport,
  fields: readonly string[],
): History<Fields> {
  const { execute } = transport;
  const query = userHistoryDocument(fields);
  const deletedQuery = deletedUsersDocument(fields);
  const restoreQuery = restoreUserDocument(fields);

  async function historyPage(id: string, { after, limit = 20, signal, ...others }: HistoryRequest = {}) {
    rejectOptions(others);
    const { userHistory } = await execute(url, { query, variables: { id, first: limit, after } }, { signal });
    const { nodes, since, pageInfo } = userHistory;
    const entries = nodes.map((entry) => ({
      ...entry,
      before: entry.before && removeNulls<User<Fields>>(entry.before),
      after: entry.after && removeNulls<User<Fields>>(entry.after),
    }));
    return { entries, since, next: findNext(pageInfo) };
  }

  async function* history(id: string, { pageSize, signal, ...others }: HistoryOptions = {}) {
    rejectOptions(others);
    const pages = readPages((after) => historyPage(id, { after, limit: pageSize, signal }));
    for await (const page of pages) yield* page.entries;
  }

  async function deletedPage({ after, limit = 20, signal, ...others }: HistoryRequest = {}) {
    rejectOptions(others);
    const variables = { first: limit, after };
    const { nodes, pageInfo } = (await execute(url, { query: deletedQuery, variables }, { signal })).deletedUsers;
    const deleted = nodes.map((each) => ({ ...each, user: removeNulls<User<Fields>>(each.user) }));
    return { deleted, next: findNext(pageInfo) };
  }

  async function* deleted({ pageSize, signal, ...others }: HistoryOptions = {}) {
    rejectOptions(others);
    const pages = readPages((after) => deletedPage({ after, limit: pageSize, signal }));
    for await (const page of pages) yield* page.deleted;
  }

  const restore = (id: string, { signal }: Signal = {}) =>
    restoreUser<Fields>(url, transport, { id, fields, query: restoreQuery, signal });

  return { history, historyPage, deleted, deletedPage, restore };
}

/** `query` selects `fields`. */
type Restore = { id: string; fields: readonly string[]; query: RestoreDocument } & Signal;
type RestoreDocument = TypedDocument<{ result: { user: object } }, { input: { id: string } }>;

/** Returns the user also if an earlier attempt, with a lost answer, has restored it. */
export async function restoreUser<Fields extends OwnFields>(
  url: string,
  { execute }: Transport,
  { id, fields, query, signal }: Restore,
): Promise<User<Fields>> {
  try {
    const { result } = await execute(url, { query, variables: { input: { id } } }, { signal, idempotent: true });
    return removeNulls<User<Fields>>(result.user);
  } catch (error) {
    if (!(isExisting(error) && wasRetried(error))) throw error;
    const { user } = await execute(url, { query: userDocument(fields), variables: { id } }, { signal });
    if (!user) throw error;
    return removeNulls<User<Fields>>(user);
  }
}

type HistoryData = { userHistory: { nodes: UserHistoryEntry<object>[]; since: string; pageInfo: PageInfo } };

export const restoreUserDocument = (fields: readonly string[]): RestoreDocument =>
  `mutation RestoreUser($input: RestoreUserInput!) { result: restoreUser(input: $input) { user { ${selectUser(fields)} } } }`;

export const undoMergeDocument = (fields: readonly string[]): RestoreDocument =>
  `mutation UndoMerge($input: UndoMergeInput!) { result: undoMerge(input: $input) { user: restored { ${selectUser(fields)} } } }`;

export const userDocument = (fields: readonly string[]): TypedDocument<{ user: object | null }, { id: string }> =>
  `query User($id: ID!) { user(id: $id) { ${selectUser(fields)} } }`;

export const userHistoryDocument = (
  fields: readonly string[],
): TypedDocument<HistoryData, { id: string; first: number; after: string | undefined }> => {
  const user = selectUser(fields);
  return `query UserHistory($id: ID!, $first: Int, $after: String) { userHistory(id: $id, first: $first, after: $after) { nodes { at by kind version changed merged mergedInto before { ${user} } after { ${user} } } since pageInfo { hasNextPage endCursor } } }`;
};

export const deletedUsersDocument = (
  fields: readonly string[],
): TypedDocument<
  { deletedUsers: { nodes: DeletedUser<object>[]; pageInfo: PageInfo } },
  { first: number; after: string | undefined }
> =>
  `query DeletedUsers($first: Int, $after: String) { deletedUsers(first: $first, after: $after) { nodes { at by restorableUntil mergedInto user { ${selectUser(fields)} } } pageInfo { hasNextPage endCursor } } }`;
