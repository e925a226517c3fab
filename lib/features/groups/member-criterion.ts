import { isUserId, normalizeId } from '../../dynamodb/keys.ts';
import { invalidInput } from '../../errors.ts';
import type { Criterion } from '../../users/criteria.ts';
import { listMemberships, membershipField } from '../../users/fields/values.ts';
import { groupRoles, memberPartitions } from './membership-entries.ts';
import { readDeletedGroups } from './read.ts';

// Separate from membership-entries.ts, which the console loads: browsers cannot load the client of DynamoDB.

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
