import * as z from 'zod/mini';
import { idInput } from '../../input/uuidv7.ts';
import { parseInput } from '../../input/validation.ts';
import type { Post } from '../../posts/schema.ts';
import type { GraphqlContext } from '../context.ts';
import { type Connection, DEFAULT_FIRST, firstOfConnection } from './connection.ts';
import type { UserPostsConnectionArgs } from './resolver-types.ts';

const connectionArguments = z.object({ first: firstOfConnection, after: z.nullish(idInput) });

/** A user who was deleted since has no posts. The cursor is the id of a post. */
export async function listPostConnection(
  authorId: string,
  input: UserPostsConnectionArgs,
  { users, postLists }: GraphqlContext,
): Promise<Connection<Post>> {
  const { first, after } = parseInput(connectionArguments, input);
  const limit = first ?? DEFAULT_FIRST;
  const [author, posts] = await Promise.all([
    users.load(authorId),
    postLists.load({ authorId, first: limit + 1, after }),
  ]);
  const found = author ? posts : [];
  const nodes = found.slice(0, limit);
  return {
    nodes,
    cursors: nodes.map(({ id }) => id),
    hasNextPage: found.length > limit,
    hasPreviousPage: after != null,
  };
}
