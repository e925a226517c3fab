import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { connection } from '../../graphql/schema/connection.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';

const load = () => import('./graphql-history.ts');

export const history = {
  definitions: parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true }),
  resolvers: {
    Mutation: loadWithRights(load, { restoreUser: ['write', 'history'] }),
    Query: loadWithRights(load, { userHistory: ['history'], deletedUsers: ['history', 'list'] }),
    DeletedUserConnection: connection,
    UserHistoryConnection: { ...connection, ...loadOnFirstUse(load, 'since', 'earlierRecords') },
  } satisfies Resolvers,
};
