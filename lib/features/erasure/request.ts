import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { isUserId, userKey } from '../../dynamodb/keys.ts';
import { transact } from '../../dynamodb/transact.ts';
import { ServiceError } from '../../errors.ts';
import { deleteUser } from '../../users/delete.ts';
import type { deleteUserInput } from '../../users/input.ts';
import { readDeletion } from '../change-log/deletions.ts';
import { readEpochs } from '../change-log/epochs.ts';
import { hasEntries, readStoredEntries } from '../change-log/read.ts';
import { MIN_POSITION, userTopic } from '../change-log/topics.ts';
import { createErasure, type Erasure, findErasure } from './record.ts';

type Input = z.infer<typeof deleteUserInput>;

/**
 * Deletes a user, and requests the erasure of what else is held about the person; also of a user who was deleted before,
 * if anything still is. Throws NOT_FOUND, PRECONDITION_FAILED.
 */
export async function eraseUser(input: Input, by: Actor): Promise<{ id: string }> {
  const { id } = input;
  try {
    return await deleteUser(input, by, ({ user }) => createErasure(user.id, by));
  } catch (error) {
    const isDeleted = error instanceof ServiceError && error.code === 'NOT_FOUND' && isUserId(id);
    if (!isDeleted) throw error;
    const erasure = await findErasure(id);
    if (erasure && !(await isHeldAgain(erasure))) return { id };
    if (!erasure && !(await isHeld(id))) throw error;
    const [record, pending] = createErasure(id, by);
    await transact({ record, pending });
    return { id };
  }
}

/** Tells whether a deletion record, posts or entries of the change log are left of a user. */
async function isHeld(id: string): Promise<boolean> {
  const { Count } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': userKey(id).pk },
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  if (Count !== 0) return true;
  for (const epoch of await readEpochs()) if (await hasEntries(userTopic(id, epoch), MIN_POSITION)) return true;
  return false;
}

/** Returns whether an import brought the user back after the erasure was requested, and the user was then deleted. */
async function isHeldAgain({ id, requestedAt, completedAt }: Erasure): Promise<boolean> {
  const deletion = await readDeletion(userKey(id));
  if (deletion && deletion.at > requestedAt) return true;
  if (completedAt === null) return false;
  // A completed erasure left entries without content.
  for (const epoch of await readEpochs())
    for await (const { item, before } of readStoredEntries(userTopic(id, epoch), MIN_POSITION))
      if (item || before) return true;
  return false;
}
