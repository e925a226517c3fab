import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { companions } from './companions.ts';
import type { Deletion } from './deletion-record.ts';
import type { deleteUserInput } from './input.ts';
import { getUserToWrite, type WriteOptions, writeUser } from './write.ts';

// Separate from write.ts: functions without deletions do not load companions.ts.

/** Deletes a user. `on-change` deletes the user's posts later. Throws NOT_FOUND and PRECONDITION_FAILED. */
export async function deleteUser(
  input: z.infer<typeof deleteUserInput>,
  by: Actor,
  { current, check, erasure }: WriteOptions & Pick<Deletion, 'erasure'> = {},
): Promise<{ id: string }> {
  const { kind } = await writeUser({
    current,
    async plan(latest) {
      const before = await getUserToWrite(input, latest);
      check?.(before.user);
      return { before };
    },
    listCompanions: ({ before }) =>
      before ? companions.flatMap((list) => list({ user: before.user, by, erasure })) : [],
  });
  if (kind !== 'written') throw new Error(`A deletion cannot be ${kind}`);
  return { id: input.id };
}
