import { getItems } from '../../dynamodb/batches.ts';
import { transact } from '../../dynamodb/transactions.ts';
import { mapParallel } from '../../parallel.ts';
import { parseClaim, putClaim, type StoredClaim } from '../../users/claims.ts';
import { findUser } from '../../users/get.ts';
import { type Claim, hasClaim, listClaims } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import { requireUserUnchanged } from '../../users/transaction-items.ts';

/** Two users have the same value of a unique field. The claim is that of the older one, `ownerId`. */
export type Duplicate = { field: string; userId: string; ownerId: string };

/** A user without the claim of a value; `claimedBy` is the id of the user whom the claim names, if there is one. */
export type MissingClaim = { claim: Claim; user: User; claimedBy: string | undefined };

/** A claim is missing after writes of a service for which the field was not unique, and after a restore. */
export async function findMissingClaims(users: User[], reading = {}): Promise<MissingClaim[]> {
  const expected = users.flatMap((user) => listClaims(user).map((claim) => ({ user, claim })));
  const stored = await getItems(
    expected.map(({ claim }) => claim.key),
    reading,
  );
  const owners = new Map(stored.map((item) => [item.pk, parseClaim(item).userId]));
  return expected
    .map(({ user, claim }) => ({ user, claim, claimedBy: owners.get(claim.key.pk) }))
    .filter(({ user, claimedBy }) => claimedBy !== user.id);
}

/** Makes claims, oldest user first: of users with the same value, that one gets it. */
export async function makeClaims(missing: MissingClaim[]): Promise<{ made: number; duplicates: Duplicate[] }> {
  const oldestFirst = missing.toSorted((one, other) => (one.user.id < other.user.id ? -1 : 1));
  const duplicates: Duplicate[] = [];
  let made = 0;
  await mapParallel([...Map.groupBy(oldestFirst, ({ claim }) => claim.key.pk).values()], async (group) => {
    for (const each of group) {
      const { isMade, duplicate } = await makeClaim(each);
      if (isMade) made++;
      if (duplicate) duplicates.push(duplicate);
    }
  });
  return { made, duplicates };
}

type Result = { isMade: boolean; duplicate?: Duplicate };

const MAX_ATTEMPTS = 5;

/**
 * Makes the claim of a user, provided that the user is still as it was read. The claim of a newer user with the same value is
 * taken over; that user keeps the value. Reads may lag: only the conditions of the transaction decide.
 */
export async function makeClaim({ claim, user }: Pick<MissingClaim, 'claim' | 'user'>): Promise<Result> {
  let stale: StoredClaim | undefined;
  let newer: User | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { failures } = await transact({ user: requireUserUnchanged(user), claim: putClaim(claim, user, stale) });
    if (!failures) return { isMade: true, ...(newer ? { duplicate: createDuplicate(claim, user, newer) } : {}) };
    // The user was changed, and each change is verified, too.
    if (!failures.claim || failures.user) break;
    stale = parseClaim(failures.claim.item);
    if (stale.userId === user.id) break;
    const owner = await findUser(stale.userId);
    newer = owner && hasClaim(owner, claim.key) ? owner : undefined;
    if (newer && newer.id < user.id) return { isMade: false, duplicate: createDuplicate(claim, newer, user) };
  }
  return { isMade: false };
}

const createDuplicate = ({ field }: Claim, owner: User, { id: userId }: User): Duplicate => ({
  field,
  userId,
  ownerId: owner.id,
});
