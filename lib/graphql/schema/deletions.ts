import { chooseErasure } from '../../features/erasure/graphql-erasure.ts';
import type { deleteUser } from '../../users/delete.ts';
import type { Access } from '../authenticate.ts';
import type { DeleteUserInput } from './resolver-types.ts';

export type DeleteUser = (...args: Parameters<typeof deleteUser>) => ReturnType<typeof deleteUser>;

/** Each checks the caller's rights, or returns undefined if the input does not concern its feature. */
export const deletions: readonly ((input: DeleteUserInput, access: Access) => DeleteUser | undefined)[] = [
  chooseErasure,
];
