import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { MutationDeleteUserArgs, Resolvers } from '../../graphql/schema/resolver-types.ts';
import type { RootRights } from '../../graphql/schema/rights.ts';

export const erasure = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Query: loadOnFirstUse(() => import('./graphql-erasure.ts'), 'erasure'),
  } satisfies Resolvers,
  rights: {
    Mutation: { deleteUser: ({ input }: MutationDeleteUserArgs) => (input.erase ? ['erase'] : ['write']) },
    Query: { erasure: ['read'] },
  } satisfies RootRights,
};
