import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { deleteItemIf } from '../../dynamodb/conditional-writes.ts';
import { type Item, isUniqueKey, type Key, userKey } from '../../dynamodb/keys.ts';
import { parseClaim } from '../../users/claims.ts';
import { findUser } from '../../users/get.ts';
import { listPossibleClaims } from '../../users/list-claims.ts';
import type { User } from '../../users/schema.ts';
import { readUsers } from '../search/mismatches.ts';

// While a field is not unique for the service, its claims stay as they are: also that of a value which its user gives up, or is
// deleted with. It keeps the value from nobody, since who wants it replaces the claim, but it tells what a user had.

/**
 * Finds the claims of own fields, among items, whose users do not have the value. A claim stays for as long as its user has it,
 * whether or not the field is declared: during a deploy, or after a rollback, it may be unique for others.
 */
export async function findStaleClaims(items: (Item & Key)[]): Promise<Key[]> {
  const claims = items.filter(isUniqueKey);
  const owners = await getItems(claims.map((item) => userKey(parseClaim(item).userId)));
  const users = new Map(readUsers(owners).map((user) => [user.id, user]));
  return claims.filter((item) => !hasValue(users.get(parseClaim(item).userId), item)).map(({ pk, sk }) => ({ pk, sk }));
}

const hasValue = (user: User | undefined, { pk }: Key): boolean =>
  user !== undefined && listPossibleClaims(user).some(({ key }) => key.pk === pk);

/** Returns whether it deleted the claim, which it does only if that is still the one whose user was found without the value. */
export async function deleteStaleClaim(key: Key): Promise<boolean> {
  // The claim first: it is written with its user, so a user who is read later and lacks the value has given it up.
  const { Item: claim } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  if (!claim) return false;
  const { userId, version } = parseClaim(claim);
  if (hasValue(await findUser(userId), key)) return false;
  return deleteItemIf({
    Key: key,
    ConditionExpression: 'userId = :userId AND (attribute_not_exists(version) OR version = :version)',
    ExpressionAttributeValues: { ':userId': userId, ':version': version },
  });
}
