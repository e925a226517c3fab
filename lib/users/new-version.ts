import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { timestamp } from '../environment.ts';
import { changeFields, clearedFields } from '../features/own-fields/changes.ts';
import type { createUserInput, replaceUserInput, updateUserInput } from './inputs.ts';
import type { NewVersion, User } from './schema.ts';

type Identity = Pick<User, 'id' | 'createdAt'> & Partial<Pick<User, 'updatedAt' | 'version'>>;

const newIdentity = (): Identity => ({ id: uuidv7(), createdAt: timestamp() });

/** Returns the first version of a user. The id is new, unless the user was created before. */
export function newUser(
  input: z.infer<typeof createUserInput>,
  by: Actor,
  { id, createdAt, updatedAt = createdAt, version = 1 }: Identity = newIdentity(),
): NewVersion {
  const { name, email } = input;
  return { id, name, email, ...changeFields({}, input), createdAt, updatedAt, version, by };
}

type Changes = z.infer<typeof updateUserInput>;

/** A replacement clears the own fields that it does not name. */
export const toChanges = (input: z.infer<typeof replaceUserInput>): Changes => ({ ...clearedFields, ...input });

/** Returns the version that follows, in which the members of the input are changed. */
export function nextVersion(user: User, input: Changes, by: Actor): NewVersion {
  const { name = user.name, email = user.email } = input;
  return { ...user, name, email, ...changeFields(user, input), updatedAt: timestamp(), version: user.version + 1, by };
}
