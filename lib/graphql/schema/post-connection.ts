import * as z from 'zod/mini';
import { idInput } from '../../input/uuidv7.ts';
import { parseInput } from '../../input/validation.ts';
import type { Post } from '../../posts/schema.ts';
import type { GraphqlContext } from '../context.ts';
import { DEFAULT_FIRST, firstOfConnection } from './connection.ts';
import type { PostConnectionResolvers, UserPostsConnectionArgs } from './resolver-types.ts';

const connectionArguments = z.object({ first: firstOfConnection, after: z.nullish(idInput) });

/** https://relay.dev/graphql/connections.htm. The cursor is the id of a post. */
export type PostConnection = { posts: Post[]; hasNextPage: boolean; hasPreviousPage: boolean };

/** A user who was deleted since has no posts. */
export async function listPostConnection(
  authorId: string,
  input: UserPostsConnectionArgs,
  { users, postLists }: GraphqlContext,
): Promise<PostConnection> {
  const { first, after } = parseInput(connectionArguments, input);
  const limit = first ?? DEFAULT_FIRST;
  const [author, posts] = await Promise.all([
    users.load(authorId),
    postLists.load({ authorId, first: limit + 1, after }),
  ]);
  const found = author ? posts : [];
  return { posts: found.slice(0, limit), hasNextPage: found.length > limit, hasPreviousPage: after != null };
}

export const postConnection = {
  edges({ posts }, _, { budget }, info) {
    const edges = posts.map((node) => ({ cursor: node.id, node }));
    return budget.spendReturned(edges, info);
  },
  nodes: ({ posts }, _, { budget }, info) => budget.spendReturned(posts, info),
  pageInfo: ({ posts, hasNextPage, hasPreviousPage }) => ({
    hasNextPage,
    hasPreviousPage,
    startCursor: posts.at(0)?.id,
    endCursor: posts.at(-1)?.id,
  }),
} satisfies PostConnectionResolvers;
