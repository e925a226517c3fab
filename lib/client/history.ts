import type { Change } from './changes.ts';
import { defineOperation, type Transport } from './transport.ts';
import type { OwnFields, User } from './users.ts';

/** The user before and after a change; null before the first, and once deleted. `changed` names the members that differ. */
export type UserHistoryEntry<User> = Pick<Change, 'kind' | 'at' | 'by'> & {
  version: number | null;
  before: User | null;
  after: User | null;
  changed: string[];
};

type HistoryOptions = { pageSize?: number; signal?: AbortSignal | undefined };

export type History<Fields extends OwnFields = object> = {
  /**
   * Lists the changes of a user, latest first, also of one who was deleted: who made them, and the user before and after.
   * Throws NOT_FOUND if there was no such user for as long as changes are kept.
   */
  history(id: string, options?: HistoryOptions): AsyncGenerator<UserHistoryEntry<User<Fields>>, void, undefined>;
};

/** Reads histories from GraphQL. */
export function createHistory<Fields extends OwnFields>(
  url: string,
  { execute }: Transport,
  fields: readonly string[],
): History<Fields>['history'] {
  const query = userHistoryDocument(fields);

  return async function* history(id, { pageSize = 20, signal } = {}) {
    for (let after: string | undefined; ; ) {
      const variables = { id, first: pageSize, after };
      const { userHistory } = await execute(url, { query, variables }, { signal });
      // The document selects the own fields.
      yield* userHistory.nodes as UserHistoryEntry<User<Fields>>[];
      if (!userHistory.pageInfo.hasNextPage) return;
      after = userHistory.pageInfo.endCursor ?? undefined;
    }
  };
}

type HistoryPage = {
  userHistory: { nodes: UserHistoryEntry<object>[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

export const userHistoryDocument = (fields: readonly string[]) => {
  const user = `{ ${['id name email version', ...fields].join(' ')} }`;
  return defineOperation<HistoryPage, { id: string; first: number; after: string | undefined }>(
    `query UserHistory($id: ID!, $first: Int, $after: String) { userHistory(id: $id, first: $first, after: $after) { nodes { at by kind version changed before ${user} after ${user} } pageInfo { hasNextPage endCursor } } }`,
  );
};
