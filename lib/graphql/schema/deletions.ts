import { chooseErasure } from '../../features/erasure/graphql-erasure.ts';
import type { deleteUser } from '../../users/delete.ts';
import type { Access } from '../authenticate.ts';
import type { DeleteUserInput } from './resolver-types.ts';

/** Deletes a user in place of `deleteUser`. */
export type DeleteUser = (...args: Parameters<typeof deleteUser>) => ReturnType<typeof deleteUser>;

/** Features that delete a user in another way if the input asks for it. Each returns undefined, or checks the caller's rights. */
export const deletions: readonly ((input: DeleteUserInput, access: Access) => DeleteUser | undefined)[] = [
  chooseErasure,
];
