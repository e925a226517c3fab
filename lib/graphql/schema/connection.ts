import type { GraphQLResolveInfo } from 'graphql';
import * as z from 'zod/mini';
import type { GraphqlContext } from '../context.ts';

const MAX_FIRST = 100;

/** The length of a page, in every connection. */
export const firstOfConnection = z.nullish(
  z.int().check(z.minimum(1, 'must be at least 1'), z.maximum(MAX_FIRST, `must be at most ${MAX_FIRST}`)),
);
export const DEFAULT_FIRST = 20;

/** A page of a list (https://relay.dev/graphql/connections.htm). Each node has its cursor, in `cursors`. */
export type Connection<Node> = {
  nodes: Node[];
  cursors: string[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  /** The cursor after which the next page starts, if that is not the cursor of the last node. */
  endCursor?: string | undefined;
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
