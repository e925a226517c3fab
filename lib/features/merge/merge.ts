import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { timestamp } from '../../environment.ts';
import { notFound, ServiceError, valueTaken } from '../../errors.ts';
import { createIdempotencyRecord, type IdempotencyKey } from '../../idempotency.ts';
import { companions } from '../../users/companions.ts';
import { isBlocking } from '../../users/fields/declaration.ts';
import {
  changeHiddenMemberships,
  listHiddenMemberships,
  listMemberships,
  listSubjects,
  type Membership,
  membershipField,
  ownFields,
  pickOwnFields,
  subjectField,
} from '../../users/fields/values.ts';
import type { updateUserInput } from '../../users/input.ts';
import { checkConditions, findStoredUser, getUser } from '../../users/read.ts';
import { type Changes, type NewVersion, nextVersion, type StoredUser, type User } from '../../users/user.ts';
import { writeUser } from '../../users/write.ts';
import { readDeletion } from '../change-log/deletions.ts';
import { dropMissingGroups } from '../groups/memberships.ts';
import { isReturning } from './posts.ts';

type Merge = {
  keep: string;
  remove: string;
  values?: Omit<z.infer<typeof updateUserInput>, 'id'> | null | undefined;
  ifVersions?: { keep: number; remove: number } | null | undefined;
};

/**
 * Gives the values, the logins and the groups of `remove` to `keep`, and deletes `remove`, in one transaction.
 * `on-change` moves the posts. A repetition returns the kept user, because the deletion record names it.
 *
 * Throws NOT_FOUND, PRECONDITION_FAILED, IDEMPOTENCY_KEY_REUSED, and CONFLICT for too many logins or groups, for values
 * of other users, and for a block that the merge would end. Throws SERVICE_UNAVAILABLE while an undo still returns posts
 * to `remove`.
 */
export async function mergeUsers(input: Merge, by: Actor, key?: IdempotencyKey): Promise<User> {
  const { keep, remove, values } = input;
  const joinsGroups = membershipField !== undefined && pickOwnFields(values ?? {})[membershipField.name] === undefined;
  const result = await writeUser({
    dropsMissingGroups: joinsGroups,
    idempotency: key && createIdempotencyRecord('mergeUsers', { keep, remove, values: values ?? {} }, key),
    async plan() {
      const { kept, removed } = await retryOnConflict(() => readUsers(input));
      // The same version: writes nothing.
      if (!removed) return { before: kept, after: { ...kept.user, by } };
      checkBlocksKept(kept.user, removed.user, values ?? {});
      const joined = joinsGroups ? await joinGroups(kept.user, removed.user) : {};
      const changes = { ...joined, ...values, id: keep, ...joinLogins(kept.user, removed.user) };
      const hidden = joinMemberships(listHiddenMemberships(kept.user), listHiddenMemberships(removed.user));
      const after = changeHiddenMemberships(newVersion(kept.user, changes, by), hidden);
      return {
        before: kept,
        after: { ...after, merged: { id: remove, version: after.version } },
        also: { before: removed },
      };
    },
    listCompanions: ({ after: mergedInto, also }) => {
      const user = also?.before?.user;
      return user ? companions.flatMap((list) => list({ user, by, mergedInto })) : [];
    },
  });
  switch (result.kind) {
    case 'written':
    case 'unneeded':
      return result.change?.after as User; // A merge always plans a change with `after`.
    case 'taken':
      throw valueTaken(result.field, subjectField?.name);
    case 'repeated':
      return getUser({ id: keep });
  }
}

/**
 * `removed` is undefined if it was merged into `keep` before. Waits for posts that an undo returns to `remove`. Throws
 * NOT_FOUND and PRECONDITION_FAILED.
 */
async function readUsers({
  keep,
  remove,
  ifVersions,
}: Merge): Promise<{ kept: StoredUser; removed?: StoredUser } | 'retry'> {
  const removed = await findStoredUser(remove);
  const kept = await findStoredUser(keep);
  if (!kept) throw notFound('User');
  if (removed) {
    const isCurrent = kept.user.version === ifVersions?.keep && removed.user.version === ifVersions.remove;
    if (!ifVersions || isCurrent) return (await isReturning(remove)) ? 'retry' : { kept, removed };
    // The versions are of one moment only if the first user has not changed meanwhile.
    if ((await findStoredUser(remove))?.user.version !== removed.user.version) return 'retry';
    checkConditions(kept.user, { ifVersion: [{ version: ifVersions.keep }] });
    checkConditions(removed.user, { ifVersion: [{ version: ifVersions.remove }] });
  }
  // In this order, the merge was in effect when `kept` was read.
  if ((await readDeletion(userKey(remove)))?.mergedInto === keep) return { kept };
  // An undo may have restored the user between the two reads.
  if (await findStoredUser(remove)) return 'retry';
  throw notFound('User');
}

/** Like `nextVersion`, but always a new version, so that the history has the merge. */
export function newVersion(user: User, changes: Changes, by: Actor): NewVersion {
  const next = nextVersion(user, changes, by);
  return next.version > user.version ? next : { ...next, updatedAt: timestamp(), version: user.version + 1, by };
}

/** The kept user gets the logins of a blocked person. Throws USER_BLOCKED unless `values` keeps or ends the block. */
function checkBlocksKept(kept: User, removed: User, values: object): void {
  const sent = pickOwnFields(values);
  const ended = ownFields.find(
    (field) =>
      isBlocking(field, removed.own[field.name]) &&
      !isBlocking(field, kept.own[field.name]) &&
      sent[field.name] === undefined,
  );
  if (!ended) return;
  const message = `The user to remove is blocked: pass ${ended.name} in values, to keep or to end the block`;
  throw new ServiceError('CONFLICT', message, { reason: 'USER_BLOCKED', issues: [{ path: [ended.name], message }] });
}

/** A single subject is kept: the login of the other user then ends with its record. Throws TOO_MANY_LOGINS. */
function joinLogins(kept: User, removed: User): object {
  const [own, others] = [listSubjects(kept), listSubjects(removed)];
  if (!subjectField || others.length === 0) return {};
  const { name, list, maxItems = 1 } = subjectField;
  if (!list) return own.length === 0 ? { [name]: others[0] } : {};
  const joined = [...new Set([...own, ...others])];
  if (joined.length <= maxItems) return { [name]: joined };
  throw new ServiceError('CONFLICT', `The users have ${joined.length} logins, and one user has at most ${maxItems}`, {
    reason: 'TOO_MANY_LOGINS',
  });
}

/** In a group of both, the kept user's role stays. Throws TOO_MANY_GROUPS. */
async function joinGroups(kept: User, removed: User): Promise<object> {
  if (!membershipField || listMemberships(removed).length === 0) return {};
  const { name, maxItems = 1 } = membershipField;
  const own = listMemberships(await dropMissingGroups(kept));
  const others = listMemberships(await dropMissingGroups(removed));
  const joined = joinMemberships(own, others);
  if (joined.length <= maxItems) return { [name]: joined };
  throw new ServiceError(
    'CONFLICT',
    `The users are in ${joined.length} groups, and one user is in at most ${maxItems}`,
    {
      reason: 'TOO_MANY_GROUPS',
    },
  );
}

const joinMemberships = (own: readonly Membership[], others: readonly Membership[]): Membership[] => [
  ...own,
  ...others.filter(({ id }) => !own.some((each) => each.id === id)),
];
