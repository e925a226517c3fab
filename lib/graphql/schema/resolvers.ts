import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { normalizeId } from '../../dynamodb/keys.ts';
import { notFound } from '../../errors.ts';
import type { Post } from '../../posts/post.ts';
import type { GraphqlContext } from '../context.ts';
import { connection } from './connection.ts';
import { DateTime } from './date-time.ts';
import { loadOnFirstUse } from './load-on-first-use.ts';
import type { Resolvers } from './resolver-types.ts';
import type { RootRights } from './rights.ts';

const resolvers = {
  DateTime,
  Query: {
    user: (_, { id }, { users }) => users.load(normalizeId(id)),
    post: (_, { id }, context) => findPostOfUser(normalizeId(id), context),
    ...loadOnFirstUse(() => import('./user-lists.ts'), 'userByEmail', 'users'),
  },
  Mutation: loadOnFirstUse(
    async () => (await import('./mutations.ts')).mutations,
    'createUser',
    'replaceUser',
    'updateUser',
    'deleteUser',
    'createPost',
    'updatePost',
    'publishPost',
    'deletePost',
  ),
  UserConnection: {
    ...connection,
    ...loadOnFirstUse(() => import('./user-lists.ts'), 'totalCount'),
  },
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

const rights = {
  Query: { user: ['read'], userByEmail: ['read'], users: ['list'], post: ['read'] },
  Mutation: {
    createUser: ['write'],
    replaceUser: ['write'],
    updateUser: ['write'],
    deleteUser: ['write'],
    createPost: ['write'],
    updatePost: ['write'],
    publishPost: ['write'],
    deletePost: ['write'],
  },
} satisfies RootRights;

export const usersAndPosts = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers,
  rights,
};

/** Finds a post. Hides posts of deleted users, which stay in the table for some seconds. */
async function findPostOfUser(id: string, { posts, users }: GraphqlContext): Promise<Post | undefined> {
  const post = await posts.load(id);
  return post && (await users.load(post.authorId)) ? post : undefined;
}
