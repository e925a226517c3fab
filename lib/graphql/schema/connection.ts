import type { GraphQLResolveInfo } from 'graphql';
import type { GraphqlContext } from '../context.ts';

/** Maximum of the argument `first`. */
export const MAX_FIRST = 100;

/** https://relay.dev/graphql/connections.htm. `cursors` has one item per node. */
export type Connection<Node> = {
  nodes: Node[];
  cursors: string[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** Default: the cursor of the last node. */
  endCursor?: string | undefined;
  /** Counts the nodes on all pages. Null if the service does not count this list. */
  count?: () => Promise<number | null>;
};

export const connection = {
  edges<Node>({ nodes, cursors }: Connection<Node>, _: unknown, { budget }: GraphqlContext, info: GraphQLResolveInfo) {
    const edges = nodes.map((node, at) => ({ cursor: cursors[at] ?? '', node })); // Each node has a cursor.
    return budget.spendReturned(edges, info);
  },
  nodes: <Node>({ nodes }: Connection<Node>, _: unknown, { budget }: GraphqlContext, info: GraphQLResolveInfo) =>
    budget.spendReturned(nodes, info),
  pageInfo: <Node>({ cursors, hasNextPage, hasPreviousPage, endCursor }: Connection<Node>) => ({
    hasNextPage,
    hasPreviousPage,
    startCursor: cursors.at(0),
    endCursor: endCursor ?? cursors.at(-1),
  }),
};

export const countedConnection = {
  ...connection,
  totalCount: async <Node>({ count }: Connection<Node>) => (await count?.()) ?? null,
};
