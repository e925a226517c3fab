import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { normalizeId } from '../../dynamodb/keys.ts';
import { notFound } from '../../errors.ts';
import type { Post } from '../../posts/post.ts';
import type { User } from '../../users/user.ts';
import type { GraphqlContext } from '../context.ts';
import { connection, countedConnection } from './connection.ts';
import { DateTime } from './date-time.ts';
import { loadOnFirstUse } from './load-on-first-use.ts';
import type { QueryPostArgs, QueryUserArgs, Resolvers } from './resolver-types.ts';
import { loadWithRights, withRights } from './root-fields.ts';

const resolvers = {
  DateTime,
  Query: {
    user: withRights(['read'], findUser),
    post: withRights(['read'], findPostOfUser),
    ...loadWithRights(() => import('./user-lists.ts'), { userByEmail: ['read'], users: ['list'] }),
  },
  Mutation: loadWithRights(async () => (await import('./mutations.ts')).mutations, {
    createUser: ['write'],
    replaceUser: ['write'],
    updateUser: ['write'],
    deleteUser: ({ input }) => (input.erase ? ['erase'] : ['write']),
    createPost: ['write'],
    updatePost: ['write'],
    publishPost: ['write'],
    deletePost: ['write'],
  }),
  UserConnection: countedConnection,
  PostConnection: connection,
  User: {
    ...loadOnFirstUse(() => import('./post-lists.ts'), 'posts', 'postsConnection'),
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
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers,
};

function findUser(_: unknown, { id }: QueryUserArgs, { users }: GraphqlContext): Promise<User | undefined> {
  return users.load(normalizeId(id));
}

/** Finds a post. Hides posts of deleted users, which stay in the table for some seconds. */
async function findPostOfUser(
  _: unknown,
  { id }: QueryPostArgs,
  { posts, users }: GraphqlContext,
): Promise<Post | undefined> {
  const post = await posts.load(normalizeId(id));
  return post && (await users.load(post.authorId)) ? post : undefined;
}
