import type { Actor, Claims } from '../../auth/caller.ts';
import { environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import { listMemberships } from '../../users/fields/values.ts';
import { findStoredUser } from '../../users/read.ts';
import type { StoredUser, User } from '../../users/user.ts';
import { requireCompleteLists } from '../backfill/complete-lists.ts';
import type { Group } from '../groups/group.ts';
import { listMemberIds } from '../groups/members.ts';
import { memberPartitions } from '../groups/membership-entries.ts';
import { findGroupByExternalId } from '../groups/read.ts';
import { parsePerson } from '../me/person.ts';
import { findMe } from '../me/read.ts';

/** A group, and the user of the person who administers it. */
export type Administrator = { group: Group; stored: StoredUser };

/** Items that `requireAdministrator` reads: claim and item, of the group and of the user. */
export const ADMINISTRATOR_READS = 4;

/**
 * Finds the group of the token and checks the role. Reads consistently. Throws FORBIDDEN with NO_PERSON, NO_GROUP,
 * NO_GROUP_ADMIN or BLOCKED, and SERVICE_UNAVAILABLE if the subjects come from another issuer.
 */
export async function requireAdministrator(claims: Claims): Promise<Administrator> {
  const person = parsePerson(claims);
  const externalId = readGroupClaim(claims);
  if (externalId === undefined) throw noGroup();
  const [group, stored] = await Promise.all([findGroupByExternalId(externalId), findMe(person)]);
  if (!group) throw noGroup();
  if (!stored || !isAdministrator(stored.user, group)) throw noGroupAdmin();
  return { group, stored };
}

/** Undefined unless the claim is one text: a list would name several groups. */
function readGroupClaim(claims: Claims): string | undefined {
  const { groupClaim } = environment;
  const value = groupClaim !== undefined && Object.hasOwn(claims, groupClaim) ? claims[groupClaim] : undefined;
  // DynamoDB rejects lone surrogates.
  return typeof value === 'string' && value.isWellFormed() ? value : undefined;
}

export const findRole = (user: User, { id }: Pick<Group, 'id'>): string | undefined =>
  listMemberships(user).find((membership) => membership.id === id)?.role;

export const isAdministratorRole = (role: string | undefined): boolean =>
  role !== undefined && environment.groupAdminRoles.includes(role);

const isAdministrator = (user: User, group: Group): boolean => isAdministratorRole(findRole(user, group));

/** Names the group and the person in versions. */
export const formatAdministrator = ({ group, stored }: Administrator): Actor => `group:${group.id}:${stored.user.id}`;

/** Reads the administrator again. Throws NO_GROUP_ADMIN if the role was lost. */
export async function refreshAdministrator({ group, stored }: Administrator): Promise<StoredUser> {
  const current = await findStoredUser(stored.user.id);
  if (current && isAdministrator(current.user, group)) return current;
  throw noGroupAdmin();
}

/** Entries are written with their users, so the first ones suffice. */
const MAX_CANDIDATES = 25;

/** Finds an administrator other than the caller. Throws LAST_ADMIN, and SERVICE_UNAVAILABLE during a backfill. */
export async function findOtherAdministrator({ group, stored }: Administrator): Promise<StoredUser> {
  const roles = environment.groupAdminRoles;
  for (const role of roles)
    for (const id of await listMemberIds(group.id, MAX_CANDIDATES, { role })) {
      const other = id === stored.user.id ? undefined : await findStoredUser(id);
      if (other && isAdministrator(other.user, group)) return other;
    }
  await requireCompleteLists(roles.flatMap((role) => memberPartitions(group.id, role)));
  throw new ServiceError('CONFLICT', 'The group needs another administrator first', { reason: 'LAST_ADMIN' });
}

export const noGroup = () =>
  new ServiceError('FORBIDDEN', 'The token must name a group in one text', { reason: 'NO_GROUP' });

const noGroupAdmin = () =>
  new ServiceError('FORBIDDEN', 'The person must be an administrator of the group', { reason: 'NO_GROUP_ADMIN' });
