import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { ItemError, Resolvers } from '../../graphql/schema/resolver-types.ts';
import type { RootRights } from '../../graphql/schema/rights.ts';
import type { User } from '../../users/user.ts';

export type CreateUsersPayload = { results: { user: User | undefined; error: ItemError | undefined }[] };

export const bulk = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Mutation: loadOnFirstUse(() => import('./graphql-bulk.ts'), 'createUsers', 'deleteUsers'),
    CreateUsersPayload: {
      results: ({ results }, _, { budget }, info) => budget.spendReturned(results, info),
    },
  } satisfies Resolvers,
  rights: { Mutation: { createUsers: ['write'], deleteUsers: ['write'] } } satisfies RootRights,
};
