import type * as z from 'zod/mini';
import { updateItem } from '../dynamodb/conditional-writes.ts';
import { AGAIN, type Again, retryOnConflict } from '../dynamodb/retry.ts';
import { transact } from '../dynamodb/transactions.ts';
import { timestamp } from '../environment.ts';
import { concurrentChanges, emailTaken, unavailable } from '../errors.ts';
import { canonicalEmail } from './email.ts';
import { getUserToWrite } from './get.ts';
import type { updateUserInput } from './inputs.ts';
import type { User } from './schema.ts';
import { claimEmail, releaseEmail, updateUserIfUnchanged } from './transaction-items.ts';

/**
 * Changes the given fields; without any it writes nothing. A replacement is an update of all fields.
 * Throws NOT_FOUND, PRECONDITION_FAILED for a version that it may not replace, CONFLICT for a taken email.
 */
export function updateUser(input: z.infer<typeof updateUserInput>): Promise<User> {
  return retryOnConflict(async () => {
    const user = await getUserToWrite(input);
    if (input.name === undefined && input.email === undefined) return user;
    return writeIfUnchanged(user, applyChanges(user, input));
  }, concurrentChanges);
}

const applyChanges = (
  user: User,
  { name = user.name, email = user.email }: { name?: string | undefined; email?: string | undefined },
): User => ({ ...user, name, email, updatedAt: timestamp(), version: user.version + 1 });

/** AGAIN when another write came first. A new email is claimed and the old one released in the same transaction. */
async function writeIfUnchanged(user: User, next: User): Promise<User | Again> {
  const update = updateUserIfUnchanged(user, next);
  if (canonicalEmail(user.email) === canonicalEmail(next.email))
    return (await updateItem(update)).failure ? AGAIN : next;
  const items = {
    user: { Update: update },
    oldEmail: releaseEmail(user.email),
    newEmail: claimEmail(next.email, user.id),
  };
  const { failures, outcomeUnknown } = await transact(items, { onTimeout: concurrentChanges });
  if (failures?.user) return AGAIN;
  // The address may become free before a late request arrives.
  if (failures) throw outcomeUnknown ? unavailable() : emailTaken();
  return next;
}
