import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { transact } from '../../dynamodb/transactions.ts';
import { readClaim, toDeletion } from '../../users/claims.ts';
import { findUser } from '../../users/get.ts';
import { isClaimKey, listPossibleClaims } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import { isUniqueKey } from '../own-fields/keys.ts';
import type { ItemCheck, ListClaims } from './inconsistency.ts';

/**
 * While a field is not unique for the service, its claims stay as they are: also that of a value which its user gives up, or is
 * deleted with. It keeps the value from nobody, since who wants it replaces the claim, but it tells what a user had.
 */
export const staleClaims: ItemCheck = {
  kind: 'claim without user',
  findUserId: (item) => (isClaimKey(item) ? readClaim(item)?.userId : undefined),
  isInTurn: isUniqueKey,
  isSound: (claim, user, listClaims) => hasClaim(user, claim, listClaims),
  repair: async (claim, listClaims) => ({ isWritten: await deleteStaleClaim(claim, listClaims) }),
  // The claim of a value that the user has, if it is of another one, is found when that one changes.
  listFormerKeys: (version, current, { unique }) =>
    listPossibleClaims(version)
      .filter(({ field, key }) => unique.includes(field) && !hasClaim(current, key, listPossibleClaims))
      .map(({ key }) => key),
};

const hasClaim = (user: User | undefined, { pk }: Key, listClaims: ListClaims): boolean =>
  user !== undefined && listClaims(user).some(({ key }) => key.pk === pk);

/** Returns whether it deleted the claim, which it does only if that and its user are still as they were read. */
async function deleteStaleClaim({ pk, sk }: Key, listClaims: ListClaims): Promise<boolean> {
  const Key = { pk, sk };
  // The claim first: it is written with its user, so a user who is read later and lacks the value has given it up.
  const { Item: claim } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  if (!claim) return false;
  const stored = readClaim(claim);
  if (!stored) return false;
  const user = await findUser(stored.userId);
  if (hasClaim(user, Key, listClaims)) return false;
  const { failures } = await transact(toDeletion(user, stored, Key));
  return !failures;
}
