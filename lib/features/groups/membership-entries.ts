import { listMemberships, membershipField, type OwnMembers } from '../../users/fields/values.ts';
import type { DerivedItem } from '../../users/user.ts';
import { countFilterEntries, filterListName, filterPartition } from '../filters/keys.ts';

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
