import type { Client, Order, TypedDocument } from '../../lib/client/client.ts';
import { type ExportedUser, formatUserSelection, removeNulls } from './person.ts';

type Answer = {
  users: { edges: { node: ExportedUser }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
};

/** `search` leaves out users who do not match, and takes no order. */
type PageRequest = { after?: string | undefined; limit?: number; order?: Order; search?: string };

export type ExportedPage = { users: ExportedUser[]; next?: string };

const PAGE_SIZE = 100;

/** Returns a function that reads one page of users. GraphQL has times and versions, and cursors that no delete moves. */
export function createPageReader(client: Client, fields: readonly string[]) {
  const listUsers: TypedDocument<
    Answer,
    Record<string, unknown>
  > = `query ($first: Int, $after: String, $order: SortOrder, $search: String) { users(first: $first, after: $after, order: $order, search: $search) { edges { node { ${formatUserSelection(fields)} } } pageInfo { hasNextPage endCursor } } }`;
  return async (
    { after, limit = PAGE_SIZE, order, search }: PageRequest,
    signal?: AbortSignal,
  ): Promise<ExportedPage> => {
    const variables = { first: limit, after, order: order?.toUpperCase(), search };
    const { edges, pageInfo } = (await client.graphql(listUsers, variables, { signal })).users;
    const users = edges.map(({ node }) => removeNulls(node));
    return { users, ...(pageInfo.hasNextPage && pageInfo.endCursor ? { next: pageInfo.endCursor } : {}) };
  };
}
