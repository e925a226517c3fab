import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { updateItem } from '../dynamodb/conditional-writes.ts';
import { companions } from './companions.ts';
import { getUserToWrite } from './get.ts';
import type { replaceUserInput, updateUserInput } from './inputs.ts';
import { nextVersion, toChanges } from './new-version.ts';
import type { User } from './schema.ts';
import { updateUserIfUnchanged } from './transaction-items.ts';
import { writeUser } from './write.ts';

type Input = z.infer<typeof updateUserInput>;

/**
 * Changes the given fields; without any it writes nothing.
 * Throws NOT_FOUND, PRECONDITION_FAILED for a version that it may not replace, CONFLICT for a taken email or unique field.
 */
export async function updateUser(input: Input, by: Actor): Promise<User> {
  if (changesNothing(input)) return getUserToWrite(input);
  const { after } = await writeUser(
    {
      async plan(shown) {
        const before = await getUserToWrite(input, shown);
        const after = nextVersion(before, input, by);
        return () => ({ before, after, by });
      },
      createItem: ({ before, after }) => ({ Update: updateUserIfUnchanged(before, after) }),
      writeAlone: async ({ before, after }) => (await updateItem(updateUserIfUnchanged(before, after))).failure,
    },
    companions,
  );
  return after;
}

const changesNothing = ({ id: _, ifVersion, ifNotVersion, ifUnmodifiedSince, ...changes }: Input): boolean =>
  Object.values(changes).every((value) => value === undefined);

/** Changes all fields: those that are left out are cleared. Throws as `updateUser` does. */
export const replaceUser = (input: z.infer<typeof replaceUserInput>, by: Actor): Promise<User> =>
  updateUser(toChanges(input), by);
