import { readFileSync } from 'node:fs';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { idInput } from '../../input/uuidv7.ts';
import { findErasure } from './record.ts';

export const erasure = {
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    Query: {
      erasure(_, { id }, { budget }) {
        budget.spendRead(1);
        return findErasure(idInput.parse(id));
      },
    },
  } satisfies Resolvers,
};
