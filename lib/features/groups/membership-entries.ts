import { isUserId, normalizeId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import type { Criterion } from '../../users/criteria.ts';
import { listMemberships, membershipField, type OwnMembers } from '../../users/fields/values.ts';
import type { DerivedItem } from '../../users/user.ts';
import { countFilterEntries, filterListName, filterPartition } from '../filters/keys.ts';
import { readDeletedGroups } from './read.ts';

// Members with the first role share a partition. Each other role has its own, so that a list of the few administrators
// of a large group reads no other members.

const LIST = 'group';

/** The setting `groupRoles`. Empty without the setting `groups`. */
export const groupRoles: readonly string[] = membershipField?.roles ?? [];

const memberPartition = (groupId: string, role: string): string =>
  `${filterPartition(LIST, groupId)}${role === groupRoles[0] ? '' : `&role=${role}`}`;

/** Returns the partitions of a group's members, or of those with one role. Sort keys are user ids. */
export const memberPartitions = (groupId: string, role?: string): string[] =>
  (role === undefined ? groupRoles : [role]).map((each) => memberPartition(groupId, each));

/** Lists an entry per membership. */
export function listMembershipEntries(user: Pick<OwnMembers, 'own'> & { id: string }): DerivedItem[] {
  if (!membershipField) return [];
  // Skips memberships beyond `maxGroups`, because all entries must fit into a transaction.
  const listed = listMemberships(user).slice(0, countFilterEntries(membershipField));
  return [...new Map(listed.map(({ id, role }) => [id, role]))].map(([id, role]) => ({
    key: { pk: memberPartition(id, role), sk: user.id },
  }));
}

/** Describes everything that decides the entries, by list name, like `listDescriptions` of filters. */
export const membershipDescriptions: Readonly<Record<string, string>> = membershipField
  ? { [filterListName(LIST)]: `up to ${membershipField.maxItems} of ${groupRoles.join(', ')}` }
  : {};

type Membership = { group?: string | null | undefined; role?: string | null | undefined };

/**
 * Finds the members of a group, or those with a role. Undefined without conditions. Throws BAD_USER_INPUT for a malformed
 * id, an unknown role, and a role without a group. `toPath` names the invalid member.
 */
export function memberCriterion(
  { group, role }: Membership,
  toPath = (name: keyof Membership): PropertyKey[] => [name],
): Criterion | undefined {
  if (group == null && role == null) return undefined;
  if (group == null) throw invalidInput(toPath('role'), 'requires group');
  const id = normalizeId(group);
  if (!isUserId(id)) throw invalidInput(toPath('group'), 'must be the id of a group');
  if (role != null && membershipField?.roles?.includes(role) === false)
    throw invalidInput(toPath('role'), `must be one of ${groupRoles.join(', ')}`);
  return {
    parameters: { group: id, ...(role == null ? {} : { role }) },
    matches: (user) => listMemberships(user).some((each) => each.id === id && (role == null || each.role === role)),
    list: memberPartitions(id, role ?? undefined),
    findsNobody: async () => (await readDeletedGroups()).has(id),
  };
}
