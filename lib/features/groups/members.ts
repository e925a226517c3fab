import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { alreadyMember, invalidInput, notFound, ServiceError } from '../../errors.ts';
import { listMemberships, type Membership, membershipField } from '../../users/fields/values.ts';
import { type Changes, nextVersion, type User } from '../../users/user.ts';
import { getUserToWrite, writeUsers } from '../../users/write.ts';
import type { addMemberInput, removeMemberInput, updateMemberInput } from './input.ts';
import { isGroupId } from './keys.ts';
import { groupRoles, memberPartitions } from './membership-entries.ts';
import { readDeletedGroups, readGroups } from './read.ts';

/**
 * Returns the user unchanged if it has this role in the group. Throws NOT_FOUND for the user or the group, CONFLICT if
 * the user has another role, PRECONDITION_FAILED, and BAD_USER_INPUT if the user is in too many groups.
 */
export function addMember(
  { groupId, role: requested, ...input }: z.infer<typeof addMemberInput>,
  by: Actor,
): Promise<User> {
  const role = requested ?? groupRoles[0] ?? '';
  return writeMemberships(input, by, async (memberships) => {
    const current = memberships.find(({ id }) => id === groupId);
    // The write itself checks a group that it adds.
    if (!isGroupId(groupId) || (current && !(await exists(groupId)))) throw notFound('Group');
    if (current && current.role !== role) throw alreadyMember();
    return current ? memberships : limit([...memberships, { id: groupId, role }], groupId);
  });
}

/** Throws NOT_FOUND for the user, the group, or if the user is not a member, and PRECONDITION_FAILED. */
export function updateMember({ groupId, role, ...input }: z.infer<typeof updateMemberInput>, by: Actor): Promise<User> {
  return writeMemberships(input, by, async (memberships) => {
    if (!(await exists(groupId))) throw notFound('Group');
    if (!memberships.some(({ id }) => id === groupId)) throw notFound('Member');
    return memberships.map((membership) => (membership.id === groupId ? { id: groupId, role } : membership));
  });
}

/** Returns the user unchanged if it is not a member. Throws NOT_FOUND for the user, and PRECONDITION_FAILED. */
export const removeMember = ({ groupId, ...input }: z.infer<typeof removeMemberInput>, by: Actor): Promise<User> =>
  writeMemberships(input, by, async (memberships) => memberships.filter(({ id }) => id !== groupId));

const exists = async (groupId: string): Promise<boolean> =>
  (await readGroups([groupId], { consistent: true })).has(groupId);

/**
 * Memberships of deleted groups do not count, because readers do not see them. Throws BAD_USER_INPUT, and NOT_FOUND if
 * the group `added` does not exist.
 */
async function limit(memberships: Membership[], added: string): Promise<Membership[]> {
  const max = membershipField?.maxItems ?? 0;
  if (memberships.length <= max) return memberships;
  const [deleted, isFound] = await Promise.all([readDeletedGroups(), exists(added)]);
  if (!isFound) throw notFound('Group');
  // The write checks the added group again.
  const kept = memberships.filter(({ id }) => id === added || !deleted.has(id));
  if (kept.length > max) throw invalidInput(['groups'], `must have at most ${max} items`);
  return kept;
}

type Input = { userId: string; ifVersion?: number | null | undefined };

/** Writes only the user. A write of the group would make its members wait for each other. */
async function writeMemberships(
  { userId, ifVersion }: Input,
  by: Actor,
  change: (memberships: readonly Membership[]) => Promise<readonly Membership[]>,
): Promise<User> {
  const conditions = ifVersion == null ? {} : { ifVersion: [{ version: ifVersion }] };
  const [outcome] = await writeUsers([
    {
      async plan(latest) {
        const before = await getUserToWrite({ id: userId, ...conditions }, latest);
        const groups = await change(listMemberships(before.user));
        const changes: Changes & { groups: readonly Membership[] } = { id: userId, groups };
        return { before, after: nextVersion(before.user, changes, by) };
      },
    },
  ]);
  switch (outcome?.kind) {
    case 'written':
    case 'unneeded':
      return outcome.change?.after as User; // `plan` always returns `after`.
    case 'rejected':
      throw notFound('Group');
    default:
      throw new Error(`A change of memberships cannot be ${outcome?.kind}`);
  }
}

/** Lists members, or those with a role, oldest first. Reads consistently. `after` is the id of a user. */
export async function listMemberIds(
  groupId: string,
  count: number,
  { after, role }: { after?: string | undefined; role?: string } = {},
): Promise<string[]> {
  const partitions = await Promise.all(
    memberPartitions(groupId, role).map(async (pk) => {
      const { Items = [] } = await table.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: after === undefined ? 'pk = :pk' : 'pk = :pk AND sk > :after',
          ExpressionAttributeValues: { ':pk': pk, ...(after === undefined ? {} : { ':after': after }) },
          ConsistentRead: true,
          Limit: count,
        }),
      );
      return Items.map(({ sk }) => String(sk));
    }),
  );
  return partitions.flat().toSorted().slice(0, count);
}

/** Removes a member of a deleted group. False if the user is not a member, or was deleted. */
export async function removeFormerMember(groupId: string, userId: string, by: Actor): Promise<boolean> {
  let isMember = false;
  try {
    await writeMemberships({ userId }, by, async (memberships) => {
      isMember = memberships.some(({ id }) => id === groupId);
      return memberships.filter(({ id }) => id !== groupId);
    });
    return isMember;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
