import { type HistoryPage, type UserHistoryEntry, userHistoryDocument } from './documents.ts';
import type { Transport } from './transport.ts';
import type { OwnFields, User } from './users.ts';

type HistoryOptions = { pageSize?: number; signal?: AbortSignal | undefined };

/** Reads histories from GraphQL. */
export function createHistory<Fields extends OwnFields>(
  url: string,
  { execute }: Transport,
  fields: readonly string[],
) {
  const query = userHistoryDocument(fields);

  /**
   * Lists the changes of a user, latest first, also of one who was deleted: who made them, and the user before and after.
   * Throws NOT_FOUND if there was no such user for as long as changes are kept.
   */
  return async function* history(id: string, { pageSize = 20, signal }: HistoryOptions = {}) {
    for (let after: string | undefined; ; ) {
      const variables = { id, first: pageSize, after };
      const { userHistory } = await execute<HistoryPage>(url, { query, variables }, signal);
      // The document selects the own fields.
      yield* userHistory.nodes as UserHistoryEntry<User<Fields>>[];
      if (!userHistory.pageInfo.hasNextPage) return;
      after = userHistory.pageInfo.endCursor ?? undefined;
    }
  };
}
