import type { Actor } from '../../auth/caller.ts';
import { TableName } from '../../dynamodb/client.ts';
import { postReturnKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { notFound, ServiceError, userExists, valueTaken } from '../../errors.ts';
import { isEqualJson } from '../../input/json-equality.ts';
import { continueVersion, type DeletionRecord } from '../../users/deletion-record.ts';
import type { OnRead } from '../../users/directory.ts';
import { type FieldValue, isBlocking, type OwnField } from '../../users/fields/declaration.ts';
import {
  changeFields,
  changeHiddenMemberships,
  listHiddenMemberships,
  listMemberships,
  listSubjects,
  type Membership,
  membershipField,
  ownFields,
  subjectField,
} from '../../users/fields/values.ts';
import { findStoredUser } from '../../users/read.ts';
import { listReturnItems } from '../../users/return.ts';
import { pickClientMembers, type User } from '../../users/user.ts';
import { writeUser } from '../../users/write.ts';
import { dropMissingGroups } from '../groups/memberships.ts';
import { type HistoryPosition, readHistory } from '../history/history.ts';
import { isLate, readLastVersion } from '../history/restore.ts';
import { newVersion } from './merge.ts';
import { isReturning } from './posts.ts';

/**
 * Restores a merged user, and the former values of the user who was kept, in one transaction. Skips groups that no
 * longer exist. `on-change` returns the posts.
 *
 * Throws NOT_FOUND if the user was not merged, the person was erased, or the history lacks the merge. Throws CONFLICT
 * if the user exists or a value is taken. Throws SERVICE_UNAVAILABLE while the change log is late, and while an earlier
 * undo still returns posts to the user who was kept.
 */
export async function undoMerge(id: string, by: Actor, onRead: OnRead): Promise<{ kept: User; restored: User }> {
  const result = await writeUser({
    hasFormerId: true,
    dropsMissingGroups: true,
    async plan() {
      const { user, deletedVersion, deletion } = await retryOnConflict(() => readLastVersion(id));
      if (!deletion?.mergedInto) throw notFound('User');
      const kept = await findStoredUser(deletion.mergedInto);
      if (!kept) throw new ServiceError('NOT_FOUND', 'The user who was kept does not exist: restore this user first');
      const merge = await retryOnConflict(() => readMerge(kept.user, deletion, onRead));
      const changes = { id: kept.user.id, ...findFormerValues(kept.user, merge) };
      const restored = await dropMissingGroups(addBlocks(user, kept.user, merge));
      const hidden = findFormerMemberships(kept.user, merge, listHiddenMemberships);
      const next = changeHiddenMemberships(newVersion(kept.user, changes, by), hidden);
      const changed = await dropMissingGroups(next);
      return {
        after: continueVersion({ ...restored, by }, deletedVersion),
        deletion,
        also: { before: kept, after: { ...changed, merged: null } },
      };
    },
    listCompanions: (change) => [...listReturnItems(change), returnRecord(id, change.also?.before?.user.id)],
  });
  switch (result.kind) {
    case 'written': {
      const { after, also } = result.change;
      return { kept: also?.after as User, restored: after as User }; // `plan` always returns both.
    }
    case 'taken':
      throw result.field === 'id' ? userExists() : valueTaken(result.field, subjectField?.name);
    default:
      throw new Error(`undoMerge wrote no user: ${result.kind}`);
  }
}

/** Makes `on-change` return the posts: see posts.ts. `returnId` distinguishes the undos of several merges. */
const returnRecord = (id: string, keptId: string | undefined): TransactItem => ({
  Put: { TableName, Item: { ...postReturnKey(id), returnsFrom: keptId, returnId: environment.randomUUID(), step: 1 } },
});

/** `changed`: members that have changed since the merge, even if they have the value of the merge again. */
type Merge = { before: User; after: User; changed: Set<string> };

const PAGE_SIZE = 100;

/**
 * Reads the versions of the kept user before and after the merge. Returns 'retry' while the change log is late, and while
 * an earlier undo returns posts to the kept user.
 */
async function readMerge(kept: User, deletion: DeletionRecord, onRead: OnRead): Promise<Merge | 'retry'> {
  const { mergedVersion = 0 } = deletion;
  if (await isReturning(kept.id)) return 'retry';
  const changed = new Set<string>();
  let after: HistoryPosition | undefined;
  for (;;) {
    const { entries, hasMore } = await readHistory(kept.id, { limit: PAGE_SIZE, after });
    onRead(Math.max(1, entries.length));
    const [latest] = entries;
    // A missing change may be a block.
    if (!after && latest?.version && latest.version < kept.version && (await isLate({ at: kept.updatedAt })))
      return 'retry';
    // Versions only decrease towards the past. A change by hand may keep the version.
    const at = entries.findIndex(
      ({ version, before }) => version !== null && version <= mergedVersion && before?.version !== version,
    );
    const entry = entries[at];
    for (const later of entries.slice(0, entry ? at : undefined))
      if (later.kind === 'UPDATED') for (const name of later.changed) changed.add(name);
    after = entries.at(-1);
    if (hasMore && !entry) continue;
    const isMerge = entry?.version === mergedVersion;
    if (isMerge && entry.before && entry.after) return { before: entry.before, after: entry.after, changed };
    if (!isMerge && (await isLate(deletion))) return 'retry';
    throw notFound('User');
  }
}

/** Finds the fields that still have the value of the merge, and their former values. Null clears a field. */
function findFormerValues(current: User, merge: Merge): object {
  const { before, after } = merge;
  const members: Record<string, FieldValue | undefined> = pickClientMembers(before);
  const [merged, now]: Record<string, unknown>[] = [pickClientMembers(after), pickClientMembers(current)];
  const stored = ['name', 'email', ...Object.keys(before.fields ?? {})];
  const blocks = listLaterBlocks(current, merge).map((field) => field.name);
  const changed = Object.keys(members).filter((name) => !isEqualJson(members[name], merged?.[name]));
  return Object.fromEntries(
    changed.flatMap((name): [string, FieldValue | null][] => {
      if (name === subjectField?.name && subjectField.list) return [[name, withoutMerged(current, merge)]];
      if (name === membershipField?.name) return [[name, findFormerMemberships(current, merge, listMemberships)]];
      if (!isEqualJson(now?.[name], merged?.[name]) || blocks.includes(name)) return [];
      return [[name, (stored.includes(name) ? members[name] : undefined) ?? null]];
    }),
  );
}

/** Lists fields that block the kept user since the merge. The merge may have set the same value before. */
const listLaterBlocks = (current: User, { after, changed }: Merge): OwnField[] =>
  ownFields.filter(
    (field) =>
      isBlocking(field, current.own[field.name]) &&
      (changed.has(field.name) || !isBlocking(field, after.own[field.name])),
  );

/** A block since the merge stays with both users: only the operator knows which person it is for. */
function addBlocks(restored: User, current: User, merge: Merge): User {
  const blocks = listLaterBlocks(current, merge);
  const added = blocks.filter((field) => !isBlocking(field, restored.own[field.name]));
  const values = Object.fromEntries(added.map(({ name }) => [name, current.own[name]]));
  return { ...restored, ...changeFields(restored, values) };
}

/** Keeps logins that the person has added since. */
function withoutMerged(current: User, { before, after }: Merge): string[] | null {
  const former = listSubjects(before);
  const added = listSubjects(after).filter((subject) => !former.includes(subject));
  const left = listSubjects(current).filter((subject) => !added.includes(subject));
  return left.length === 0 ? null : left;
}

/** Keeps memberships that have changed since. */
function findFormerMemberships(
  current: User,
  { before, after }: Merge,
  list: (user: User) => readonly Membership[],
): Membership[] {
  const toRoles = (user: User) => new Map(list(user).map(({ id, role }) => [id, role]));
  const [former, merged, roles] = [toRoles(before), toRoles(after), toRoles(current)];
  for (const id of [...former.keys(), ...merged.keys()]) {
    if (former.get(id) === merged.get(id) || roles.get(id) !== merged.get(id)) continue;
    const role = former.get(id);
    if (role === undefined) roles.delete(id);
    else roles.set(id, role);
  }
  return [...roles].map(([id, role]) => ({ id, role }));
}
