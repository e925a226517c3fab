import { readFileSync } from 'node:fs';
import { type GraphQLResolveInfo, parse } from 'graphql';
import type { GraphqlContext } from '../../graphql/context.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { ItemError, Resolvers } from '../../graphql/schema/resolver-types.ts';
import type { RootRights } from '../../graphql/schema/rights.ts';
import type { User } from '../../users/user.ts';

export type UsersPayload = { results: { user: User | undefined; error: ItemError | undefined }[] };

const load = () => import('./graphql-bulk.ts');

const usersPayload = {
  results: ({ results }: UsersPayload, _: unknown, { budget }: GraphqlContext, info: GraphQLResolveInfo) =>
    budget.spendReturned(results, info),
};

export const bulk = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Query: loadOnFirstUse(load, 'usersByIds'),
    Mutation: loadOnFirstUse(load, 'createUsers', 'updateUsers', 'deleteUsers'),
    CreateUsersPayload: usersPayload,
    UpdateUsersPayload: usersPayload,
  } satisfies Resolvers,
  rights: {
    Query: { usersByIds: ['read'] },
    Mutation: { createUsers: ['write'], updateUsers: ['write'], deleteUsers: ['write'] },
  } satisfies RootRights,
};
