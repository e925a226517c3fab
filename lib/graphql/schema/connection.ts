import type { GraphQLResolveInfo } from 'graphql';
import type { GraphqlContext } from '../context.ts';

/** A page of a list (https://relay.dev/graphql/connections.htm). Each node has its cursor, in `cursors`. */
export type Connection<Node> = {
  nodes: Node[];
  cursors: string[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** The cursor after which the next page starts, if that is not the cursor of the last node. */
  endCursor?: string | undefined;
  /** Counts the nodes on all pages. Returns null if they are too many to count. */
  count?: () => Promise<number | null>;
};

/** The resolvers of `edges`, `nodes` and `pageInfo` of each connection. */
export const connection = {
  edges<Node>({ nodes, cursors }: Connection<Node>, _: unknown, { budget }: GraphqlContext, info: GraphQLResolveInfo) {
    const edges = nodes.map((node, at) => ({ cursor: cursors[at] ?? '', node })); // There is one for each.
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
