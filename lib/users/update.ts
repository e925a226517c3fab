import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { updateItem } from '../dynamodb/conditional-writes.ts';
import { timestamp } from '../environment.ts';
import { changeValues, clearedFields, type OwnChanges, pickOwnFields } from '../features/own-fields/inputs.ts';
import { companions } from './companions.ts';
import { getUserToWrite } from './get.ts';
import type { replaceUserInput, updateUserInput } from './inputs.ts';
import type { User } from './schema.ts';
import { updateUserIfUnchanged } from './transaction-items.ts';
import { writeUser } from './write.ts';

type Input = z.infer<typeof updateUserInput>;

/**
 * Changes the given fields; without any it writes nothing.
 * Throws NOT_FOUND, PRECONDITION_FAILED for a version that it may not replace, CONFLICT for a taken email or unique field.
 */
export const updateUser = (input: Input, by: Actor): Promise<User> => changeUser(input, pickOwnFields(input), by);

/** Changes all fields: those that are left out are cleared. Throws as `updateUser` does. */
export const replaceUser = (input: z.infer<typeof replaceUserInput>, by: Actor): Promise<User> =>
  changeUser(input, { ...clearedFields, ...pickOwnFields(input) }, by);

async function changeUser(input: Input, changes: OwnChanges, by: Actor): Promise<User> {
  const isEmpty = input.name === undefined && input.email === undefined && Object.keys(changes).length === 0;
  if (isEmpty) return getUserToWrite(input);
  const { after } = await writeUser(
    {
      async plan(shown) {
        const before = await getUserToWrite(input, shown);
        const after = { ...applyChanges(before, input, changes), by };
        return () => ({ before, after, by });
      },
      createItem: ({ before, after }) => ({ Update: updateUserIfUnchanged(before, after) }),
      writeAlone: async ({ before, after }) => (await updateItem(updateUserIfUnchanged(before, after))).failure,
    },
    companions,
  );
  return after;
}

function applyChanges(user: User, { name = user.name, email = user.email }: Input, changes: OwnChanges): User {
  const fields = changeValues(user.fields, changes);
  return { ...user, name, email, ...(fields ? { fields } : {}), updatedAt: timestamp(), version: user.version + 1 };
}
