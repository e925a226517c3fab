import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { MutationDeleteUserArgs, Resolvers } from '../../graphql/schema/resolver-types.ts';
import type { RootRights } from '../../graphql/schema/rights.ts';

const load = () => import('./graphql-erasure.ts');

export const erasure = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Mutation: loadOnFirstUse(load, 'deleteUser'),
    Query: loadOnFirstUse(load, 'erasure'),
  } satisfies Resolvers,
  rights: {
    Mutation: { deleteUser: ({ input }: MutationDeleteUserArgs) => (input.erase ? ['erase'] : ['write']) },
    Query: { erasure: ['read'] },
  } satisfies RootRights,
};
