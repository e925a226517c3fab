import { normalizeId } from '../../dynamodb/keys.ts';
import { type Access, requireRights } from '../../graphql/authenticate.ts';
import type { DeleteUserInput, QueryResolvers } from '../../graphql/schema/resolver-types.ts';
import { findErasure } from './record.ts';
import { eraseUser } from './request.ts';

/** Checks the right to erase here, because each item of `deleteUsers` may request an erasure. Throws FORBIDDEN. */
export function chooseErasure({ erase }: DeleteUserInput, access: Access): typeof eraseUser | undefined {
  if (!erase) return undefined;
  requireRights(access, ['erase']);
  return eraseUser;
}

export const erasure = ((_, { id }, { budget }) => {
  budget.spendRead(1);
  return findErasure(normalizeId(id));
}) satisfies QueryResolvers['erasure'];
