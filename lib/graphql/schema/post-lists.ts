import * as z from 'zod/mini';
import { parseInput } from '../../input/parsing.ts';
import { idInput } from '../../input/schemas.ts';
import { DEFAULT_FIRST, firstOfConnection } from './first-of-connection.ts';
import type { UserResolvers } from './resolver-types.ts';

const listArguments = z.object({ first: firstOfConnection, after: z.nullish(idInput) });

export const posts = async function listPosts({ id }, input, { users, postLists, budget }, info) {
  const list = { authorId: id, ...parseInput(listArguments, input) };
  // Load the user, because a write may return an earlier version of a user who has been deleted since.
  const [author, posts] = await Promise.all([users.load(id), postLists.load(list)]);
  return author ? budget.spendReturned(posts, info) : [];
} satisfies UserResolvers['posts'];

/** Empty if the user was deleted after the parent was read. */
export const postsConnection = async function listPostConnection({ id: authorId }, input, { users, postLists }) {
  const { first, after } = parseInput(listArguments, input);
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
} satisfies UserResolvers['postsConnection'];
