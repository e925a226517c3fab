import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { type ConditionFailure, updateItem } from '../dynamodb/conditional-writes.ts';
import type { Item } from '../dynamodb/keys.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { transact } from '../dynamodb/transactions.ts';
import { timestamp } from '../environment.ts';
import { concurrentChanges, unavailable } from '../errors.ts';
import { changeValues, clearedFields, type OwnChanges, pickOwnFields } from '../features/own-fields/inputs.ts';
import { ClaimChanges } from './claims.ts';
import { getUserToWrite } from './get.ts';
import type { replaceUserInput, updateUserInput } from './inputs.ts';
import type { NewVersion, User } from './schema.ts';
import { updateUserIfUnchanged } from './transaction-items.ts';

type Input = z.infer<typeof updateUserInput>;

/**
 * Changes the given fields; without any it writes nothing.
 * Throws NOT_FOUND, PRECONDITION_FAILED for a version that it may not replace, CONFLICT for a taken email or unique field.
 */
export const updateUser = (input: Input, by: Actor): Promise<User> => changeUser(input, pickOwnFields(input), by);

/** Changes all fields: those that are left out are cleared. Throws as `updateUser` does. */
export const replaceUser = (input: z.infer<typeof replaceUserInput>, by: Actor): Promise<User> =>
  changeUser(input, { ...clearedFields, ...pickOwnFields(input) }, by);

function changeUser(input: Input, changes: OwnChanges, by: Actor): Promise<User> {
  const isEmpty = input.name === undefined && input.email === undefined && Object.keys(changes).length === 0;
  const claims = new ClaimChanges();
  let shown: Item | undefined;
  return retryOnConflict(async () => {
    const user = await getUserToWrite(input, shown);
    if (isEmpty) return user;
    const next = { ...applyChanges(user, input, changes), by };
    const failure = await writeIfUnchanged(user, next, claims);
    shown = failure?.item;
    return failure ? AGAIN : next;
  }, concurrentChanges);
}

function applyChanges(user: User, { name = user.name, email = user.email }: Input, changes: OwnChanges): User {
  const fields = changeValues(user.fields, changes);
  return { ...user, name, email, ...(fields ? { fields } : {}), updatedAt: timestamp(), version: user.version + 1 };
}

/**
 * New claims are made and old ones released in the same transaction. When another write came first, returns the failure, which
 * shows the user if that write was of the user.
 */
async function writeIfUnchanged(
  user: User,
  next: NewVersion,
  claims: ClaimChanges,
): Promise<ConditionFailure | undefined> {
  const update = updateUserIfUnchanged(user, next);
  const changed = claims.createItems(user, next);
  if (Object.keys(changed).length === 0) return (await updateItem(update)).failure;
  const items = { ...changed, user: { Update: update } };
  const { failures, outcomeUnknown } = await transact(items, { onTimeout: concurrentChanges });
  if (!failures) return undefined;
  if (failures.user) return failures.user;
  // A claimed value may become free before a late request arrives.
  if (outcomeUnknown) throw unavailable();
  await claims.resolve(failures, user, next);
  return {};
}
