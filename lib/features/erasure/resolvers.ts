import { readFileSync } from 'node:fs';
import { requireRight } from '../../graphql/authenticate.ts';
import { deleteOne } from '../../graphql/schema/mutations.ts';
import type { Resolvers } from '../../graphql/schema/resolver-types.ts';
import { idInput } from '../../input/uuidv7.ts';
import { findErasure } from './record.ts';
import { eraseUser } from './request.ts';

export const erasure = {
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    Mutation: {
      // An async function, as it may throw at once.
      async deleteUser(_, { input: { erase, ...input } }, context) {
        if (erase) requireRight(context.access, 'erase');
        return deleteOne(input, context, erase ? eraseUser : undefined);
      },
    },
    Query: {
      erasure(_, { id }, { budget }) {
        budget.spendRead(1);
        return findErasure(idInput.parse(id));
      },
    },
  } satisfies Resolvers,
};
