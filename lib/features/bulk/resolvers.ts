import { readFileSync } from 'node:fs';
import { type GraphQLResolveInfo, parse } from 'graphql';
import type { GraphqlContext } from '../../graphql/context.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';

const load = () => import('./graphql-bulk.ts');

const usersPayload = {
  results: <Result>(
    { results }: { results: Result[] },
    _: unknown,
    { budget }: GraphqlContext,
    info: GraphQLResolveInfo,
  ) => budget.spendReturned(results, info),
};

export const bulk = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Query: loadWithRights(load, { usersByIds: ['read'] }),
    Mutation: loadWithRights(load, { createUsers: ['write'], updateUsers: ['write'], deleteUsers: ['write'] }),
    CreateUsersPayload: usersPayload,
    UpdateUsersPayload: usersPayload,
  } satisfies Resolvers,
};
