import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import type { TransactItem } from '../dynamodb/transact.ts';
import { unavailable } from '../errors.ts';
import { companions } from './companions.ts';
import type { deleteUserInput } from './input.ts';
import type { User } from './user.ts';
import { getUserToWrite, writeUser } from './write.ts';

// Separate from write.ts, because functions that delete no user do not load the companions.

/** A user who is being deleted. */
export type Deletion = { user: User; by: Actor };

/**
 * Deletes a user with all derived items. `on-change` deletes the posts. `listMore` adds items to the transaction.
 * Throws NOT_FOUND and PRECONDITION_FAILED.
 */
export async function deleteUser(
  input: z.infer<typeof deleteUserInput>,
  by: Actor,
  listMore: (deletion: Deletion) => TransactItem[] = () => [],
): Promise<{ id: string }> {
  const result = await writeUser({
    plan: async (current) => ({ before: await getUserToWrite(input, current), by }),
    listCompanions({ before }) {
      if (!before) return [];
      const deletion = { user: before.user, by };
      return [...companions.flatMap((list) => list(deletion)), ...listMore(deletion)];
    },
  });
  if (result.kind !== 'written') throw unavailable();
  return { id: input.id };
}
