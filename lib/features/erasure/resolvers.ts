import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';

export const erasure = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Query: loadWithRights(() => import('./graphql-erasure.ts'), { erasure: ['read'] }),
  } satisfies Resolvers,
};
