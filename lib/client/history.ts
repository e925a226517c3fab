import type { Change } from './changes.ts';
import { isExisting } from './errors.ts';
import { type Signal, type Transport, type TypedDocument, wasRetried } from './transport.ts';
import { type OwnFields, removeNulls, selectUser, type VersionedUser } from './users.ts';

/** `before` is null for a creation, `after` for a deletion. `changed` names the changed members. */
export type UserHistoryEntry<User> = Pick<Change, 'kind' | 'at' | 'by'> & {
  version: number | null;
  before: User | null;
  after: User | null;
  changed: string[];
};

type HistoryOptions = { pageSize?: number | undefined } & Signal;

export type History<Fields extends OwnFields = object> = {
  /** Lists the changes of a user, latest first, also after the user's deletion. Throws NOT_FOUND if none are kept. */
  history(
    id: string,
    options?: HistoryOptions,
  ): AsyncGenerator<UserHistoryEntry<VersionedUser<Fields>>, void, undefined>;

  /**
   * Restores a deleted user under the same id, with the last values in the history. Throws NOT_FOUND if the person was
   * erased or no history is kept, and USER_EXISTS, EMAIL_TAKEN or VALUE_TAKEN.
   */
  restore(id: string, options?: Signal): Promise<VersionedUser<Fields>>;
};

export function createHistory<Fields extends OwnFields>(
  url: string,
  { execute }: Transport,
  fields: readonly string[],
): History<Fields> {
  const query = userHistoryDocument(fields);
  const restoreQuery = restoreUserDocument(fields);

  async function restore(id: string, { signal }: Signal = {}) {
    const variables = { input: { id } };
    try {
      const { restoreUser } = await execute(url, { query: restoreQuery, variables }, { signal, idempotent: true });
      return removeNulls<VersionedUser<Fields>>(restoreUser.user);
    } catch (error) {
      // An earlier attempt, with a lost answer, has restored the user.
      if (!(isExisting(error) && wasRetried(error))) throw error;
      const { user } = await execute(url, { query: userDocument(fields), variables: { id } }, { signal });
      if (!user) throw error;
      return removeNulls<VersionedUser<Fields>>(user);
    }
  }

  async function* history(
    id: string,
    { pageSize = 20, signal }: HistoryOptions = {},
  ): AsyncGenerator<UserHistoryEntry<VersionedUser<Fields>>, void, undefined> {
    for (let after: string | undefined; ; ) {
      const variables = { id, first: pageSize, after };
      const { userHistory } = await execute(url, { query, variables }, { signal });
      for (const entry of userHistory.nodes)
        yield {
          ...entry,
          before: entry.before && removeNulls(entry.before),
          after: entry.after && removeNulls(entry.after),
        };
      if (!userHistory.pageInfo.hasNextPage) return;
      after = userHistory.pageInfo.endCursor ?? undefined;
    }
  }

  return { history, restore };
}

type HistoryPage = {
  userHistory: { nodes: UserHistoryEntry<object>[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

export const restoreUserDocument = (
  fields: readonly string[],
): TypedDocument<{ restoreUser: { user: object } }, { input: { id: string } }> =>
  `mutation RestoreUser($input: RestoreUserInput!) { restoreUser(input: $input) { user { ${selectUser(fields)} } } }`;

export const userDocument = (fields: readonly string[]): TypedDocument<{ user: object | null }, { id: string }> =>
  `query User($id: ID!) { user(id: $id) { ${selectUser(fields)} } }`;

export const userHistoryDocument = (
  fields: readonly string[],
): TypedDocument<HistoryPage, { id: string; first: number; after: string | undefined }> => {
  const user = selectUser(fields);
  return `query UserHistory($id: ID!, $first: Int, $after: String) { userHistory(id: $id, first: $first, after: $after) { nodes { at by kind version changed before { ${user} } after { ${user} } } pageInfo { hasNextPage endCursor } } }`;
};
