import { DateTimeResolver } from 'graphql-scalars';
import * as z from 'zod/mini';
import { notFound } from '../../errors.ts';
import { createUsersPayload } from '../../features/bulk/resolvers.ts';
import { subscriptions } from '../../features/change-log/resolvers.ts';
import { findErasure } from '../../features/erasure/record.ts';
import { listUserHistory, userHistoryConnection } from '../../features/history/resolvers.ts';
import { idInput } from '../../input/uuidv7.ts';
import { parseInput } from '../../input/validation.ts';
import type { Post } from '../../posts/schema.ts';
import { findUserByEmail } from '../../users/claims.ts';
import type { GraphqlContext } from '../context.ts';
import { mutations } from './mutations.ts';
import { listPostConnection, postConnection } from './post-connection.ts';
import type { Resolvers, ResolversParentTypes } from './resolver-types.ts';
import { listUserConnection, userConnection } from './user-connection.ts';

const postsArguments = z.object({
  first: z.nullish(z.int().check(z.minimum(1, 'must be at least 1'))),
  after: z.nullish(idInput),
});

type TypeName = Exclude<keyof Resolvers, 'DateTime'>;
type Fields<Type extends TypeName> = NonNullable<Resolvers[Type]>;

/** Operation types have no parent, which the generated types express by an index signature. */
type HeldByParent<Parent> = string extends keyof Parent ? never : keyof Parent;
type Missing<Type extends TypeName> = Exclude<keyof Fields<Type>, HeldByParent<ResolversParentTypes[Type]>>;

/** The compiler requires a resolver of every field that its parent does not hold. */
type RequiredResolvers = {
  [Type in TypeName as [Missing<Type>] extends [never] ? never : Type]: Fields<Type> &
    Required<Pick<Fields<Type>, Missing<Type>>>;
};

export const resolvers: Resolvers & RequiredResolvers = {
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
    erasure(_, { id }, { budget }) {
      budget.spendRead(1);
      return findErasure(idInput.parse(id));
    },
    userHistory: (_, input, context) => listUserHistory(input, context),
  },
  Mutation: mutations,
  Subscription: subscriptions,
  UserConnection: userConnection,
  PostConnection: postConnection,
  UserHistoryConnection: userHistoryConnection,
  CreateUsersPayload: createUsersPayload,
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
};

/** The posts of a deleted user stay in the table for some seconds, but no API shows them. */
async function findPostOfUser(id: string, { posts, users }: GraphqlContext): Promise<Post | undefined> {
  const post = await posts.load(id);
  return post && (await users.load(post.authorId)) ? post : undefined;
}
