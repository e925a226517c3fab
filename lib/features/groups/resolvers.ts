import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { countedConnection } from '../../graphql/schema/connection.ts';
import { loadOnFirstUse } from '../../graphql/schema/load-on-first-use.ts';
import { NO_DEFINITIONS } from '../../graphql/schema/own-fields.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { loadWithRights } from '../../graphql/schema/root-fields.ts';
import { membershipField } from '../../users/fields/values.ts';

const load = () => import('./graphql-groups.ts');

const definitions = parse(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'), { noLocation: true });

const resolvers = {
  Query: loadWithRights(load, { group: ['read'], groupByExternalId: ['read'], groups: ['list'] }),
  Mutation: loadWithRights(load, {
    createGroup: ['write'],
    updateGroup: ['write'],
    deleteGroup: ['write'],
    addMember: ['write'],
    updateMember: ['write'],
    removeMember: ['write'],
  }),
  Group: { members: loadOnFirstUse(load, 'listMembers').listMembers },
  GroupConnection: countedConnection,
  User: { groups: loadOnFirstUse(load, 'memberships').memberships },
} satisfies Resolvers;

/** Exists only with `groups=on`. The cast keeps the types of the resolvers, which completeness.ts checks. */
export const groups = {
  definitions: membershipField ? definitions : NO_DEFINITIONS,
  resolvers: (membershipField ? resolvers : {}) as typeof resolvers,
};
