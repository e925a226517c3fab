import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';

const load = () => import('./graphql-erasure.ts');

export const erasure = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Mutation: loadOnFirstUse(load, 'deleteUser'),
    Query: loadOnFirstUse(load, 'erasure'),
  } satisfies Resolvers,
};
