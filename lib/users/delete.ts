import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { type Item, userKey } from '../dynamodb/keys.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { type TransactItem, transact } from '../dynamodb/transactions.ts';
import { concurrentChanges } from '../errors.ts';
import { putDeletion } from '../features/change-log/deletions.ts';
import { WRITE_ATTEMPT_MS } from '../features/page-index/timing.ts';
import { putTombstone } from '../features/page-index/tombstones.ts';
import { ClaimChanges } from './claims.ts';
import { getUserToWrite } from './get.ts';
import type { deleteUserInput } from './inputs.ts';
import type { User } from './schema.ts';
import { deleteUserIfUnchanged } from './transaction-items.ts';

/**
 * Releases email and unique fields too; the posts are deleted from the table's stream. `createItems` makes more items of the
 * same transaction. Throws NOT_FOUND, PRECONDITION_FAILED.
 */
export function deleteUser(
  input: z.infer<typeof deleteUserInput>,
  by: Actor,
  createItems: (user: User) => Record<string, TransactItem> = () => ({}),
): Promise<{ id: string }> {
  const claims = new ClaimChanges();
  let shown: Item | undefined;
  return retryOnConflict(async () => {
    const user = await getUserToWrite(input, shown);
    const { id, version } = user;
    const items = () => ({
      ...claims.createItems(user, undefined),
      user: deleteUserIfUnchanged(user),
      tombstone: putTombstone(id),
      ...createItems(user),
      deletion: putDeletion(userKey(id), { by, version: version + 1 }),
    });
    const { failures } = await transact(items, { attemptMs: WRITE_ATTEMPT_MS, onTimeout: concurrentChanges });
    if (!failures) return { id };
    shown = failures.user?.item;
    await claims.resolve(failures, user, undefined);
    return AGAIN;
  }, concurrentChanges);
}
