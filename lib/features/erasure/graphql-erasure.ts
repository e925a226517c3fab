import { normalizeId } from '../../dynamodb/keys.ts';
import { deleteOne } from '../../graphql/schema/mutations.ts';
import type { MutationResolvers, QueryResolvers } from '../../graphql/schema/resolver-types.ts';
import { findErasure } from './record.ts';
import { eraseUser } from './request.ts';

export const deleteUser = ((_, { input: { erase, ...input } }, context) =>
  deleteOne(input, context, erase ? eraseUser : undefined)) satisfies MutationResolvers['deleteUser'];

export const erasure = ((_, { id }, { budget }) => {
  budget.spendRead(1);
  return findErasure(normalizeId(id));
}) satisfies QueryResolvers['erasure'];
