import { transact } from '../../dynamodb/transactions.ts';
import { putClaim, readClaim, type StoredClaim } from '../../users/claims.ts';
import { findUser } from '../../users/get.ts';
import { type Claim, hasClaim, listClaims } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import { requireSameUser, requireUserUnchanged } from '../../users/transaction-items.ts';
import type { Duplicate, Inconsistency, Repaired, UserCheck } from './inconsistency.ts';

/** A claim is missing after writes of a service for which the field was not unique, and after a restore. */
export const listExpectedClaims: UserCheck = (user) =>
  listClaims(user).map((claim) => ({
    key: claim.key,
    isSound: (stored) => stored !== undefined && readClaim(stored)?.userId === user.id,
    describe: (owner) => describeMissing(claim, user, owner),
  }));

function describeMissing(claim: Claim, user: User, owner: User | undefined): Inconsistency {
  const missing = { key: claim.key, repair: () => makeClaim(claim, user) };
  if (!owner || !hasClaim(owner, claim.key)) return { kind: 'user without claim', ...missing };
  const isOlder = owner.id < user.id;
  const duplicate = isOlder ? createDuplicate(claim, owner, user) : createDuplicate(claim, user, owner);
  return { kind: 'duplicate value', duplicate, ...missing };
}

const MAX_ATTEMPTS = 5;

/**
 * Makes the claim of a user, provided that the user is still as it was read. The claim of a newer user with the same value is
 * taken over; that user keeps the value. Reads may lag: only the conditions of the transaction decide.
 */
async function makeClaim(claim: Claim, user: User): Promise<Repaired> {
  let stale: StoredClaim | undefined;
  let owner: User | undefined;
  let newer: User | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { failures } = await transact({
      user: requireUserUnchanged(user),
      claim: putClaim(claim, user, stale),
      owner: stale && !newer ? requireSameUser(stale.userId, owner) : undefined,
    });
    if (!failures) return { isWritten: true, ...(newer ? { duplicate: createDuplicate(claim, user, newer) } : {}) };
    // The user was changed, and each change is verified, too.
    if (failures.user) break;
    if (failures.claim) stale = readClaim(failures.claim.item ?? {});
    if (!stale || stale.userId === user.id) break;
    owner = await findUser(stale.userId);
    newer = owner && hasClaim(owner, claim.key) ? owner : undefined;
    if (newer && newer.id < user.id) return { isWritten: false, duplicate: createDuplicate(claim, newer, user) };
  }
  return { isWritten: false };
}

const createDuplicate = ({ field }: Claim, owner: User, { id: userId }: User): Duplicate => ({
  field,
  userId,
  ownerId: owner.id,
});
