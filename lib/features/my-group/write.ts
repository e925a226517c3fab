import type * as z from 'zod/mini';
import { notFound, toServiceError, valueTaken } from '../../errors.ts';
import { createIdempotencyRecord } from '../../idempotency.ts';
import { listMemberships, type Membership } from '../../users/fields/values.ts';
import { findStoredUser } from '../../users/read.ts';
import { type Changes, newUser, nextVersion, type StoredUser, type User } from '../../users/user.ts';
import { type SingleOutcome, writeUser, writeUsers } from '../../users/write.ts';
import { groupWritesKey } from '../groups/keys.ts';
import { groupRoles } from '../groups/membership-entries.ts';
import { countUse, HOUR_SECONDS, type Limit } from '../me/person-item.ts';
import {
  type Administrator,
  findOtherAdministrator,
  findRole,
  formatAdministrator,
  isAdministratorRole,
  noGroup,
  refreshAdministrator,
} from './administrator.ts';
import type { addMemberInput, updateMemberInput } from './input.ts';
import { type Member, toMember } from './read.ts';

/** All administrators of a group together. */
const WRITES: Limit = {
  counter: 'writes',
  window: 'countedHour',
  seconds: HOUR_SECONDS,
  max: 600,
  text: '600 changes of a group an hour',
};

/** Counts before the write is tried, because failed writes reveal which addresses are taken. */
const countWrite = ({ group }: Administrator): Promise<void> => countUse(groupWritesKey(group.id), WRITES);

/**
 * Creates a user in the group, without a subject. A repeated idempotency key returns the member of the first request.
 * Throws CONFLICT with EMAIL_TAKEN or VALUE_TAKEN, IDEMPOTENCY_KEY_REUSED, TOO_MANY_REQUESTS, and FORBIDDEN if the group
 * is deleted.
 */
export async function addMember(
  administrator: Administrator,
  { idempotencyKey, role, ...input }: z.infer<typeof addMemberInput>,
): Promise<Member> {
  await countWrite(administrator);
  const { group } = administrator;
  const by = formatAdministrator(administrator);
  const groups = [{ id: group.id, role: role ?? groupRoles[0] ?? '' }];
  const user = { ...input, groups };
  // The key belongs to the person in this group, not to a token.
  const idempotency =
    idempotencyKey == null
      ? undefined
      : createIdempotencyRecord('addMyGroupMember', user, { key: idempotencyKey, caller: by });
  const [result] = await writeUsers([{ plan: () => ({ after: newUser(user, by) }), idempotency }]);
  switch (result?.kind) {
    case 'written':
      return requireMember(result.change.after, administrator);
    case 'rejected':
      throw noGroup();
    case 'repeated':
      return requireMember(newUser(user, by, result.first), administrator);
    case 'taken':
      throw valueTaken(result.field);
    default:
      throw new Error(`A creation of a member cannot be ${result?.kind}`);
  }
}

/** Writes nothing if all values are equal. Throws NOT_FOUND, and CONFLICT with LAST_ADMIN or VALUE_TAKEN. */
export async function updateMember(
  administrator: Administrator,
  { id, role, ...input }: z.infer<typeof updateMemberInput>,
): Promise<Member> {
  await countWrite(administrator);
  const { group } = administrator;
  const changeRole = (groups: readonly Membership[]) =>
    role === undefined ? undefined : groups.map((each) => (each.id === group.id ? { ...each, role } : each));
  const result = await writeMember(administrator, id, (groups) => ({ ...input, groups: changeRole(groups) }));
  switch (result.kind) {
    case 'written':
    case 'unneeded':
      return requireMember(result.change?.after, administrator);
    case 'taken':
      throw valueTaken(result.field);
    case 'repeated':
      throw new Error('An update has no idempotency key');
  }
}

/**
 * Removes the membership and keeps the user. Throws NOT_FOUND, and CONFLICT with LAST_ADMIN. `id` is normalized.
 */
export async function removeMember(administrator: Administrator, { id }: { id: string }): Promise<{ id: string }> {
  await countWrite(administrator);
  let wasMember = false;
  try {
    await writeMember(administrator, id, (groups) => {
      wasMember = true;
      return { groups: groups.filter((each) => each.id !== administrator.group.id) };
    });
  } catch (error) {
    // A lost request of this write, or another administrator, has removed the member since.
    if (!(wasMember && toServiceError(error)?.code === 'NOT_FOUND')) throw error;
  }
  return { id };
}

type MemberChanges = Omit<Changes, 'id'> & { groups?: readonly Membership[] | undefined };

/** Throws NOT_FOUND for every user outside of the group, and CONFLICT with LAST_ADMIN. */
function writeMember(
  administrator: Administrator,
  id: string,
  change: (memberships: readonly Membership[]) => MemberChanges,
): Promise<SingleOutcome> {
  const { group } = administrator;
  const by = formatAdministrator(administrator);
  let attempts = 0;
  return writeUser({
    async plan(latest) {
      attempts++;
      const before = latest ?? (await findStoredUser(id));
      const role = before && findRole(before.user, group);
      if (!before || role === undefined) throw notFound('Member');
      const after = nextVersion(before.user, { ...change(listMemberships(before.user)), id }, by);
      const losesAdministrator = isAdministratorRole(role) && !isAdministratorRole(findRole(after, group));
      const unchanged = losesAdministrator ? await findRemaining(administrator, id, attempts > 1) : undefined;
      return { before, after, unchanged };
    },
  });
}

/**
 * Finds the administrator who remains if the user `id` is none any more. The transaction checks this user, so that two
 * administrators cannot remove each other. Throws LAST_ADMIN, or NO_GROUP_ADMIN if the caller has lost the role.
 */
async function findRemaining(administrator: Administrator, id: string, mayBeOutdated: boolean): Promise<StoredUser> {
  if (id === administrator.stored.user.id) return findOtherAdministrator(administrator);
  return mayBeOutdated ? refreshAdministrator(administrator) : administrator.stored;
}

function requireMember(user: User | undefined, { group }: Administrator): Member {
  const member = user && toMember(user, group);
  if (member) return member;
  throw new Error('The written user is not a member');
}
