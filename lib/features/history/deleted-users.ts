import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { deletionKey, formatKey, userKey } from '../../dynamodb/keys.ts';
import { split } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { parseDeletion } from '../../users/deletion-record.ts';
import type { OnRead } from '../../users/directory.ts';
import type { User } from '../../users/user.ts';
import { type ChangeEntry, findChangeTime } from '../change-log/entry.ts';
import { readKnownFormerEpochs } from '../change-log/epochs.ts';
import { type OrderEntry, type Ref, readOrderBackwards } from '../change-log/order-log.ts';
import { isUserRef, readContents } from '../change-log/read.ts';
import { EPOCH, MAX_POSITION } from '../change-log/topics.ts';
import { parseVersions } from '../change-log/versions.ts';
import { findHistoryMs, findHistoryStart } from './history.ts';

/** Position in the order log of an epoch: continues with the changes before number `index` of the entry. */
export type DeletedUsersCursor = { epoch: string; position: string; index: number };

/** `user` has the values before the deletion. `mergedInto`: id of the other user, if the deletion was a merge. */
export type DeletedUser = {
  user: User;
  at: string;
  by: Actor | null;
  restorableUntil: Date;
  mergedInto: string | null;
  cursor: DeletedUsersCursor;
};

/** `end` continues after the last change read. */
export type DeletedUsersPage = { deleted: DeletedUser[]; end: DeletedUsersCursor | undefined; hasMore: boolean };

/** Lists the epochs of the table's logs, latest first. */
export const listLogEpochs = async (): Promise<string[]> => [EPOCH, ...(await readKnownFormerEpochs()).toReversed()];

/** Order-log changes that cost as much as reading one item. */
const REFS_PER_ITEM = 40;

/**
 * Lists the deleted users that `restoreUser` can restore, latest deletion first. Filters the order log, so that a
 * deletion costs no further write. A page may be empty although more follow.
 */
export async function readDeletedUsers(
  { limit, after }: { limit: number; after?: DeletedUsersCursor | undefined },
  onRead: OnRead,
): Promise<DeletedUsersPage> {
  const deleted: DeletedUser[] = [];
  let end = after;
  let refs = 0;
  for await (const read of readRefs(after)) {
    refs += read.length;
    onRead(read.length / REFS_PER_ITEM);
    for (const part of split(read.filter(isUserDeletion), limit + 1)) {
      onRead(3 * part.length);
      deleted.push(...(await findDeleted(part)));
      if (deleted.length > limit)
        return { deleted: deleted.slice(0, limit), end: deleted[limit - 1]?.cursor, hasMore: true };
    }
    end = read.at(-1)?.cursor ?? end;
    if (refs >= sizes.refsPerPage) return { deleted, end, hasMore: true };
  }
  return { deleted, end, hasMore: false };
}

type ReadRef = { ref: Ref; cursor: DeletedUsersCursor };

const isUserDeletion = ({ ref }: ReadRef): boolean => ref.kind === 'DELETED' && isUserRef(ref);

/** Reads changes latest first, until the history starts. */
async function* readRefs(after: DeletedUsersCursor | undefined): AsyncGenerator<ReadRef[]> {
  const start = findHistoryStart();
  let from = after;
  for (const epoch of await listLogEpochs()) {
    if (from && from.epoch !== epoch) continue;
    for await (const entries of readOrderBackwards(epoch, from?.position ?? MAX_POSITION)) {
      const kept = entries.filter(({ at }) => at >= start);
      yield kept.flatMap((entry) => listRefsBackwards(epoch, entry, from));
      if (kept.length < entries.length) return;
    }
    from = undefined;
  }
}

const listRefsBackwards = (epoch: string, { position, refs }: OrderEntry, from?: DeletedUsersCursor): ReadRef[] =>
  refs
    .map((ref, index) => ({ ref, cursor: { epoch, position, index } }))
    .slice(0, from?.position === position ? from.index : undefined)
    .toReversed();

/** Skips users who exist again, were erased, or were deleted again later. All refs are of the same epoch. */
async function findDeleted(read: ReadRef[]): Promise<DeletedUser[]> {
  const refs = read.map(({ ref }) => ref);
  const contents = await readContents(refs, read[0]?.cursor.epoch);
  const keys = refs.map(({ id }) => userKey(id));
  const items = await getItems([...keys, ...keys.map(deletionKey)], { ConsistentRead: true });
  const stored = new Map(items.map((item) => [formatKey(item), item]));
  return read.flatMap(({ ref, cursor }) => {
    const change = contents.get(ref);
    const key = userKey(ref.id);
    const record = stored.get(formatKey(deletionKey(key)));
    const deletion = record && parseDeletion(record);
    const isLast = !deletion || deletion.version === change?.version;
    const mergedInto = deletion?.mergedInto ?? null;
    return change && isLast && !stored.has(formatKey(key)) ? toDeletedUser(change, cursor, mergedInto) : [];
  });
}

function toDeletedUser(change: ChangeEntry, cursor: DeletedUsersCursor, mergedInto: string | null): DeletedUser[] {
  const { before: user } = parseVersions(change);
  const time = findChangeTime(change);
  if (!user || time < findHistoryStart()) return [];
  const by = change.by as Actor | null; // The log has only formatted callers.
  return [{ user, at: change.at, by, restorableUntil: new Date(time + findHistoryMs()), mergedInto, cursor }];
}
