import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { deletionCompanions } from './companions.ts';
import { getUserToWrite } from './get.ts';
import type { deleteUserInput } from './inputs.ts';
import { deleteUserIfUnchanged } from './transaction-items.ts';
import { type Companions, writeUser } from './write.ts';

/**
 * Releases email and unique fields too; the posts are deleted from the table's stream. A feature may add companions of
 * this deletion. Throws NOT_FOUND, PRECONDITION_FAILED.
 */
export async function deleteUser(
  input: z.infer<typeof deleteUserInput>,
  by: Actor,
  added: readonly Companions<never>[] = [],
): Promise<{ id: string }> {
  await writeUser(
    {
      async plan(shown) {
        const before = await getUserToWrite(input, shown);
        return () => ({ before, by });
      },
      createItem: ({ before }) => deleteUserIfUnchanged(before),
    },
    [...deletionCompanions, ...added],
  );
  return { id: input.id };
}
