import type { IResolvers } from '@graphql-tools/utils';
import { DateTimeResolver } from 'graphql-scalars';
import * as z from 'zod';
import { notFound } from '../../errors.ts';
import { listPosts } from '../../posts/list.ts';
import type { Post } from '../../posts/schema.ts';
import { queryUsers } from '../../users/directory.ts';
import { findUserByEmail } from '../../users/find-by-email.ts';
import { pages } from '../../users/page-index/reader.ts';
import type { User } from '../../users/schema.ts';
import { parseInput } from '../../validation.ts';
import type { Context } from '../context.ts';
import { mutations } from './mutations.ts';
import { subscriptions } from './subscriptions.ts';

const first = z.int().min(1, 'must be at least 1').nullish();
const usersArguments = z.object({
  first: first.refine((number) => (number ?? 1) <= 100, 'must be at most 100'),
  after: z.uuid('must be a cursor of this connection').toLowerCase().nullish(),
});
const postsArguments = z.object({ first, after: z.string().nullish() });

export const resolvers: IResolvers<unknown, Context> = {
  DateTime: DateTimeResolver,
  Query: {
    user: (_, { id }, { users }) => users.load(id),
    userByEmail: (_, { email }) => findUserByEmail(email),
    users: (_, input) => userConnection(parseInput(usersArguments, input)),
    post: (_, { id }, context) => findReachablePost(id, context),
  },
  Mutation: mutations,
  Subscription: subscriptions,
  UserConnection: { totalCount: () => pages().count() },
  User: {
    posts(user: User, input, { users }) {
      users.prime(user.id, user); // Who asks for their author has it already.
      return listPosts(user.id, parseInput(postsArguments, input));
    },
  },
  Post: { author: ({ authorId }: Post, _, context) => loadAuthor(authorId, context) },
};

async function userConnection({ first, after }: z.infer<typeof usersArguments>) {
  const { users, more } = await queryUsers(after ?? undefined, first ?? 20);
  const edges = users.map((node) => ({ cursor: node.id, node }));
  return {
    edges,
    pageInfo: {
      hasNextPage: more,
      hasPreviousPage: Boolean(after),
      startCursor: edges.at(0)?.cursor,
      endCursor: edges.at(-1)?.cursor,
    },
  };
}

/** The posts of a deleted user are gone with it for every reader, though the table keeps them a moment longer. */
async function findReachablePost(id: string, { posts, users }: Context): Promise<Post | undefined> {
  const post = await posts.load(id);
  return post && (await users.load(post.authorId)) ? post : undefined;
}

async function loadAuthor(id: string, { users }: Context): Promise<User> {
  const author = await users.load(id);
  if (!author) throw notFound('User');
  return author;
}
