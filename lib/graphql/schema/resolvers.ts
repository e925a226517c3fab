import { DateTimeResolver } from 'graphql-scalars';
import * as z from 'zod/mini';
import { notFound } from '../../errors.ts';
import type { Post } from '../../posts/schema.ts';
import { findUserByEmail } from '../../users/find-by-email.ts';
import { parseInput } from '../../validation.ts';
import type { GraphqlContext } from '../context.ts';
import { measureResponse } from '../response-size.ts';
import { mutations } from './mutations.ts';
import type { Resolvers } from './resolver-types.ts';
import { subscriptions } from './subscriptions.ts';
import { listUserConnection, userConnection } from './user-connection.ts';

const postsArguments = z.object({
  first: z.nullish(z.int().check(z.minimum(1, 'must be at least 1'))),
  after: z.nullish(z.string()),
});

export const resolvers: Resolvers = {
  DateTime: DateTimeResolver,
  Query: {
    user: (_, { id }, { users }) => users.load(id),
    userByEmail: (_, { email }) => findUserByEmail(email),
    users: (_, input, { budget }) => listUserConnection(input, budget),
    post: (_, { id }, context) => findPostOfUser(id, context),
  },
  Mutation: mutations,
  Subscription: subscriptions,
  UserConnection: userConnection,
  User: {
    async posts(user, input, { users, postLists, budget }, info) {
      users.prime(user.id, user); // The posts' author need not be read again.
      const posts = await postLists.load({ authorId: user.id, ...parseInput(postsArguments, input) });
      budget.spendReturned(posts.length, measureResponse(posts, info));
      return posts;
    },
  },
  Post: {
    async author({ authorId }, _, { users, budget }, info) {
      const author = await users.load(authorId);
      if (!author) throw notFound('User');
      budget.spendReturned(1, measureResponse(author, info));
      return author;
    },
  },
};

/** The posts of a deleted user stay in the table for some seconds, but no API shows them. */
async function findPostOfUser(id: string, { posts, users }: GraphqlContext): Promise<Post | undefined> {
  const post = await posts.load(id);
  return post && (await users.load(post.authorId)) ? post : undefined;
}
