import type * as z from 'zod';
import { transact, untilDone } from '../table.ts';
import { getUserAt } from './get.ts';
import { takeOffPages } from './pages/removal.ts';
import type { deleteUserInput } from './schema.ts';
import { deleteReadUser, releaseEmail } from './writes.ts';

/** Frees the address with it; the posts follow from the table's stream. Throws `not-found`, `stale`. */
export function deleteUser({ id, ifVersion }: z.infer<typeof deleteUserInput>): Promise<{ id: string }> {
  return untilDone(async () => {
    const read = await getUserAt(id, ifVersion);
    const { refusals } = await transact([deleteReadUser(read), releaseEmail(read.email), ...(await takeOffPages(id))]);
    return refusals ? undefined : { id };
  });
}
