import type * as z from 'zod';
import { transact, retryOnConflict } from '../dynamodb/table.ts';
import { getUserAtVersion } from './get.ts';
import { putTombstone } from './page-index/tombstones.ts';
import type { deleteUserInput } from './schema.ts';
import { deleteUserIfUnchanged, releaseEmail } from './transaction-items.ts';

/** Frees the address with it; the posts follow from the table's stream. Throws `not-found`, `stale`. */
export function deleteUser({ id, ifVersion }: z.infer<typeof deleteUserInput>): Promise<{ id: string }> {
  return retryOnConflict(async () => {
    const read = await getUserAtVersion(id, ifVersion);
    const { failures } = await transact([
      deleteUserIfUnchanged(read),
      releaseEmail(read.email),
      ...(await putTombstone(id)),
    ]);
    return failures ? undefined : { id };
  });
}
