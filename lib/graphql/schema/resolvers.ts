import { DateTimeResolver } from 'graphql-scalars';
import * as z from 'zod';
import { notFound } from '../../errors.ts';
import { listPosts } from '../../posts/list.ts';
import type { Post } from '../../posts/schema.ts';
import { findUserByEmail } from '../../users/find-by-email.ts';
import type { User } from '../../users/schema.ts';
import { parseInput } from '../../validation.ts';
import type { GraphqlContext } from '../context.ts';
import { mutations } from './mutations.ts';
import type { Resolvers } from './resolver-types.ts';
import { subscriptions } from './subscriptions.ts';
import { listUserConnection, userConnection } from './user-connection.ts';

const postsArguments = z.object({
  first: z.int().min(1, 'must be at least 1').nullish(),
  after: z.string().nullish(),
});

export const resolvers: Resolvers = {
  DateTime: DateTimeResolver,
  Query: {
    user: (_, { id }, { users }) => users.load(id),
    userByEmail: (_, { email }) => findUserByEmail(email),
    users: (_, input) => listUserConnection(input),
    post: (_, { id }, context) => findPostOfUser(id, context),
  },
  Mutation: mutations,
  Subscription: subscriptions,
  UserConnection: userConnection,
  User: {
    posts(user, input, { users }) {
      users.prime(user.id, user); // The posts' author need not be read again.
      return listPosts(user.id, parseInput(postsArguments, input));
    },
  },
  Post: { author: ({ authorId }, _, context) => loadAuthor(authorId, context) },
};

/** The posts of a deleted user stay in the table for some seconds, but no API shows them. */
async function findPostOfUser(id: string, { posts, users }: GraphqlContext): Promise<Post | undefined> {
  const post = await posts.load(id);
  return post && (await users.load(post.authorId)) ? post : undefined;
}

async function loadAuthor(id: string, { users }: GraphqlContext): Promise<User> {
  const author = await users.load(id);
  if (!author) throw notFound('User');
  return author;
}
