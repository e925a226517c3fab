import type { Client, Order, TypedDocument } from '../../lib/client/client.ts';
import type { ListUsersQuery, ListUsersQueryVariables } from './document-types.ts';
import { type ExportedUser, removeNulls } from './person.ts';
import { appendUserFields } from './user-fields.ts';

/** `search` cannot be combined with `order`, unless `sort` is set. `filter`: a `UserFilter`. */
type PageRequest = {
  after?: string | undefined;
  limit?: number;
  order?: Order | undefined;
  search?: string | undefined;
  filter?: object;
  sort?: string | undefined;
};

export type ExportedPage = { users: ExportedUser[]; next?: string };

const PAGE_SIZE = 100;

const LIST_USERS: TypedDocument<ListUsersQuery, ListUsersQueryVariables> =
  `query ListUsers($first: Int, $after: String, $order: SortOrder, $search: String, $filter: UserFilter, $sort: UserSort) {
  users(first: $first, after: $after, order: $order, search: $search, filter: $filter, sort: $sort) {
    edges { node { ...UserFields } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const ORDERS = { asc: 'ASC', desc: 'DESC' } as const;

/** Uses GraphQL for its times, versions, and cursors that deletes do not shift. */
export function createPageReader(client: Client, fields: readonly string[]) {
  const document = appendUserFields(LIST_USERS, fields);
  return async (
    { after, limit = PAGE_SIZE, order, search, filter, sort }: PageRequest,
    signal?: AbortSignal,
  ): Promise<ExportedPage> => {
    // Cast: own fields add values of `sort` to the generated type.
    const variables = {
      first: limit,
      after,
      order: order && ORDERS[order],
      search,
      filter,
      sort: sort as ListUsersQueryVariables['sort'],
    };
    const { edges, pageInfo } = (await client.graphql(document, variables, { signal })).users;
    const users = edges.map(({ node }) => removeNulls(node));
    return { users, ...(pageInfo.hasNextPage && pageInfo.endCursor ? { next: pageInfo.endCursor } : {}) };
  };
}
