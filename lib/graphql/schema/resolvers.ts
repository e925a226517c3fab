import { readFileSync } from 'node:fs';
import { DateTimeResolver } from 'graphql-scalars';
import * as z from 'zod/mini';
import { notFound } from '../../errors.ts';
import { idInput } from '../../input/uuidv7.ts';
import { parseInput } from '../../input/validation.ts';
import type { Post } from '../../posts/schema.ts';
import { findUserByEmail } from '../../users/claims.ts';
import type { GraphqlContext } from '../context.ts';
import { connection } from './connection.ts';
import { mutations } from './mutations.ts';
import { listPostConnection } from './post-connection.ts';
import type { Resolvers } from './resolver-types.ts';
import { listUserConnection, userConnection } from './user-connection.ts';

const postsArguments = z.object({
  first: z.nullish(z.int().check(z.minimum(1, 'must be at least 1'))),
  after: z.nullish(idInput),
});

const resolvers = {
  DateTime: DateTimeResolver,
  Query: {
    user: (_, { id }, { users }) => users.load(idInput.parse(id)),
    userByEmail: async (_, { email }, { users }) => {
      const user = await findUserByEmail(email);
      if (user) users.prime(user.id, user);
      return user;
    },
    users: (_, input, context) => listUserConnection(input, context),
    post: (_, { id }, context) => findPostOfUser(idInput.parse(id), context),
  },
  Mutation: mutations,
  UserConnection: userConnection,
  PostConnection: connection,
  User: {
    async posts({ id }, input, { users, postLists, budget }, info) {
      const list = { authorId: id, ...parseInput(postsArguments, input) };
      // The user that a change or a repeated createUser shows is a user of the past, who may have changed or be deleted since.
      const [author, posts] = await Promise.all([users.load(id), postLists.load(list)]);
      return author ? budget.spendReturned(posts, info) : [];
    },
    postsConnection: ({ id }, input, context) => listPostConnection(id, input, context),
  },
  Post: {
    async author({ authorId }, _, { users, budget }, info) {
      const author = await users.load(authorId);
      if (!author) throw notFound('User');
      return budget.spendReturned(author, info);
    },
  },
} satisfies Resolvers;

export const usersAndPosts = {
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers,
};

/** The posts of a deleted user stay in the table for some seconds, but no API shows them. */
async function findPostOfUser(id: string, { posts, users }: GraphqlContext): Promise<Post | undefined> {
  const post = await posts.load(id);
  return post && (await users.load(post.authorId)) ? post : undefined;
}
