import { chooseErasure } from '../../features/erasure/graphql-erasure.ts';
import type { deleteUser } from '../../users/delete.ts';
import type { Access } from '../authenticate.ts';
import type { DeleteUserInput } from './resolver-types.ts';

/** A function that a feature runs instead of `deleteUser`. */
export type DeleteUser = (...args: Parameters<typeof deleteUser>) => ReturnType<typeof deleteUser>;

/** Features that handle certain deletions. Each checks the caller's rights, or returns undefined if the input does not concern it. */
export const deletions: readonly ((input: DeleteUserInput, access: Access) => DeleteUser | undefined)[] = [
  chooseErasure,
];
