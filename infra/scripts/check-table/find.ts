import { emailKey } from '../../../lib/dynamodb/keys.ts';
import { canonicalEmail } from '../../../lib/users/email.ts';
import { type EntryMismatch, findMismatches } from '../../../lib/users/search/mismatches.ts';
import { type Claim, getClaims, getUsers, type Page, type Post, type Tombstone, type User } from './items.ts';

/** A restore may contain only a part of a transaction, and leaves these. */
export type Inconsistency =
  | { kind: 'user without claim'; user: User; claimedBy: string | undefined }
  | { kind: 'claim without user'; claim: Claim; user: User | undefined }
  | { kind: 'post without author'; post: Post }
  | { kind: 'tombstone of a user who exists'; tombstone: Tombstone }
  | { kind: 'search entry that differs'; difference: EntryMismatch };

export const claimKeyFor = ({ email }: User) => emailKey(canonicalEmail(email));

/** Compares the items of a page with those that they depend on. Concurrent writes can cause false results. */
export async function findInconsistencies({ items, users, claims, posts, tombstones }: Page): Promise<Inconsistency[]> {
  const userIds = [...claims, ...tombstones].map(({ userId }) => userId);
  const existing = await getUsers([...userIds, ...posts.map(({ authorId }) => authorId)]);
  const differences = await findMismatches(items, { ConsistentRead: true });
  const claimed = await getClaims(users.map(claimKeyFor));
  return [
    ...users.flatMap((user) => {
      const claimedBy = claimed.get(claimKeyFor(user).pk);
      return claimedBy === user.id ? [] : [{ kind: 'user without claim' as const, user, claimedBy }];
    }),
    ...claims.flatMap((claim) => {
      const user = existing.get(claim.userId);
      return user && claimKeyFor(user).pk === claim.pk ? [] : [{ kind: 'claim without user' as const, claim, user }];
    }),
    ...posts
      .filter(({ authorId }) => !existing.has(authorId))
      .map((post) => ({ kind: 'post without author' as const, post })),
    ...tombstones
      .filter(({ userId }) => existing.has(userId))
      .map((tombstone) => ({ kind: 'tombstone of a user who exists' as const, tombstone })),
    ...differences.map((difference) => ({ kind: 'search entry that differs' as const, difference })),
  ];
}
