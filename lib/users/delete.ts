import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { deletionCompanions } from './companions.ts';
import { getUserToWrite } from './get.ts';
import type { deleteUserInput } from './inputs.ts';
import { deleteUserIfUnchanged } from './transaction-items.ts';
import { writeUser } from './write.ts';

/**
 * Releases email and unique fields too; the posts are deleted from the table's stream. An erasure also asks for what else is held
 * about the person. Throws NOT_FOUND, PRECONDITION_FAILED.
 */
export async function deleteUser(
  input: z.infer<typeof deleteUserInput>,
  by: Actor,
  { isErasure = false } = {},
): Promise<{ id: string }> {
  await writeUser(
    {
      async plan(shown) {
        const before = await getUserToWrite(input, shown);
        return () => ({ before, by, isErasure });
      },
      createItem: ({ before }) => deleteUserIfUnchanged(before),
    },
    deletionCompanions,
  );
  return { id: input.id };
}
