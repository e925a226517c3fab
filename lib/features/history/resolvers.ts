import { readFileSync } from 'node:fs';
import { connection } from '../../graphql/schema/connection.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';

const load = () => import('./graphql-history.ts');

export const history = {
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    Query: loadOnFirstUse(load, 'userHistory'),
    UserHistoryConnection: { ...connection, ...loadOnFirstUse(load, 'since') },
  } satisfies Resolvers,
};
