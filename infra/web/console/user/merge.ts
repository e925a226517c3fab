import { isNotFound } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { getUser, type UserInput, updateUser } from '../api/users.ts';
import { canReplace, findField, isSameValue, joinLogins } from '../own-fields.ts';
import { type MergePlan, mergePlans } from './drafts.ts';

export const MERGE_STEPS = {
  values: 'Save the chosen values',
  posts: 'Move the posts',
  deletion: 'Delete the other user',
  unique: 'Save values that only one user may have',
};

export type MergeProgress = { step: keyof typeof MERGE_STEPS; moved: number };

const isUnique = (member: string): boolean =>
  member === 'email' || Boolean(findField(member)?.unique || findField(member)?.subject);

const MAX_PARALLEL = 4;
const PAGE_SIZE = 100;

/** A failed merge can be restarted. Throws if either user has changed since the comparison. */
export async function mergeUsers(
  plan: MergePlan,
  onProgress: (progress: MergeProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { kept: keptId, removed: removedId, versions } = plan;
  // Move unique values last: they are only free once the other user is deleted.
  const values = Object.entries(plan.values);
  const unique = Object.fromEntries(values.filter(([member]) => isUnique(member)));
  const others = Object.fromEntries(values.filter(([member]) => !isUnique(member)));
  let moved = 0;
  const begin = (step: MergeProgress['step']) => {
    signal.throwIfAborted();
    onProgress({ step, moved });
  };
  const removed = await getUser(removedId, signal);
  if (removed && removed.version !== versions.removed) throw changed(removed.name);

  begin('values');
  const kept = await requireUser(keptId, signal);
  if (!hasValues(kept, others)) {
    if (kept.version !== versions.kept) throw changed(kept.name);
    await updateUser(kept, others);
  }

  begin('posts');
  if (removed) {
    for (;;) {
      const { posts } = await client.posts.page(removedId, { limit: PAGE_SIZE, signal });
      if (posts.length === 0) break;
      const queue = [...posts];
      const move = async () => {
        for (let post = queue.shift(); post; post = queue.shift()) {
          signal.throwIfAborted();
          await movePost(post.id, keptId, signal);
          moved += 1;
          onProgress({ step: 'posts', moved });
        }
      };
      await Promise.all(Array.from({ length: MAX_PARALLEL }, move));
    }
    begin('deletion');
    const current = await requireUser(keptId, signal);
    // After the deletion, a rejected value would be lost.
    if (Object.entries(unique).some(([member, value]) => !canReplace(member, current[member], value)))
      throw changed(current.name);
    await client.users.delete(removed, { signal }).catch(ignoreMissing);
  }

  begin('unique');
  const current = await requireUser(keptId, signal);
  // The person may have added a login since the comparison.
  const joined = Object.entries(unique).map(([member, value]) => [
    member,
    joinLogins(member, current[member], value) ?? value,
  ]);
  const last: Partial<UserInput> = Object.fromEntries(joined);
  if (!hasValues(current, last)) await updateUser(current, last);
  // The person may have stopped this merge and started another one.
  mergePlans.set((current) => (current === plan ? undefined : current));
}

async function requireUser(id: string, signal: AbortSignal) {
  const user = await getUser(id, signal);
  if (!user) throw new Error('The user to keep was deleted elsewhere');
  return user;
}

const changed = (name: string) => new Error(`${name} has changed elsewhere since you compared. Compare again.`);

async function movePost(id: string, authorId: string, signal: AbortSignal): Promise<void> {
  try {
    await client.posts.update(id, { authorId }, { signal });
  } catch (error) {
    ignoreMissing(error);
    // Either the post or its new author is missing.
    await requireUser(authorId, signal);
  }
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

const hasValues = (user: UserInput, values: Partial<UserInput>): boolean =>
  Object.entries(values).every(([member, value]) => isSameValue(user[member], value));
