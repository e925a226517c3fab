import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { unavailable } from '../errors.ts';
import { companions } from './companions.ts';
import type { deleteUserInput } from './input.ts';
import type { User } from './user.ts';
import { getUserToWrite, writeUser } from './write.ts';

// Separate from write.ts, because functions that delete no user do not load the companions.

/** A user who is being deleted. `erases` is true if all other data of the person is to be erased, too. */
export type Deletion = { user: User; by: Actor; erases: boolean };

/** Deletes a user with all derived items. `on-change` deletes the posts. Throws NOT_FOUND and PRECONDITION_FAILED. */
export async function deleteUser(
  input: z.infer<typeof deleteUserInput>,
  by: Actor,
  { erases = false } = {},
): Promise<{ id: string }> {
  const result = await writeUser({
    plan: async (current) => ({ before: await getUserToWrite(input, current), by }),
    listCompanions: ({ before }) =>
      before ? companions.flatMap((list) => list({ user: before.user, by, erases })) : [],
  });
  if (result.kind !== 'written') throw unavailable();
  return { id: input.id };
}
