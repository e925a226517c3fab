import { invalidInput } from '../../errors.ts';
import { listMemberships, membershipField, resolveFields } from '../../users/fields/values.ts';
import type { User } from '../../users/user.ts';
import { readDeletedGroups, readGroups } from './read.ts';

type Change = { before: User | undefined; after: User | undefined };

/** Lists the ids of groups that the change adds to the user. */
export function listAddedGroups({ before, after }: Change): string[] {
  const known = listGroupIds(before);
  return listGroupIds(after).filter((id) => !known.includes(id));
}

const listGroupIds = (user: User | undefined): string[] => (user ? listMemberships(user).map(({ id }) => id) : []);

/**
 * Finds groups that the changes add to users and that do not exist, or are being deleted. Reads consistently, and
 * nothing if no group is added.
 *
 * Call this before each attempt of a write. The transaction must not check the groups: DynamoDB cancels transactions
 * that check the same item, so people could not join a group at once.
 */
export async function findMissingGroups(changes: readonly Change[]): Promise<string[]> {
  if (!membershipField) return [];
  const added = changes.flatMap(listAddedGroups);
  if (added.length === 0) return [];
  const groups = await readGroups(added, { consistent: true });
  return [...new Set(added)].filter((id) => !groups.has(id));
}

export const groupsMissing = (ids: readonly string[]) =>
  invalidInput(['groups'], ids.map((id) => `the group ${id} does not exist`).join(', '));

/**
 * Removes memberships of groups that do not exist or are being deleted. Keeps memberships of `before`. Reads
 * consistently.
 */
export async function dropMissingGroups<Some extends User>(user: Some, before?: User): Promise<Some> {
  const missing = new Set(await findMissingGroups([{ before, after: user }]));
  return missing.size > 0 ? withoutGroups(user, missing) : user;
}

/** Leaves out memberships of deleted groups, which a job removes later. Reads nothing for users without groups. */
export async function omitDeletedGroups<Some extends User>(users: readonly Some[]): Promise<Some[]> {
  if (users.every((user) => listMemberships(user).length === 0)) return [...users];
  const deleted = await readDeletedGroups();
  return users.map((user) => withoutGroups(user, deleted));
}

export const omitDeletedGroupsOf = async <Some extends User>(user: Some): Promise<Some> =>
  (await omitDeletedGroups([user]))[0] ?? user;

function withoutGroups<Some extends User>(user: Some, ids: ReadonlySet<string>): Some {
  const field = membershipField;
  const memberships = listMemberships(user);
  const kept = memberships.filter(({ id }) => !ids.has(id));
  if (!field || kept.length === memberships.length) return user;
  return { ...user, ...resolveFields({ ...user.fields, [field.name]: kept }) };
}
