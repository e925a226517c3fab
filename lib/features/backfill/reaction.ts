import { getItems } from '../../dynamodb/batch.ts';
import { type Item, userKey } from '../../dynamodb/keys.ts';
import type { Reaction } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import { compareDerived, hasExpectedKeys } from '../../users/derived.ts';
import { type StoredUser, tryParseStoredUser } from '../../users/user.ts';
import { readDeletions, recordDeletionByHand } from '../change-log/deletions.ts';
import { isListKey, parseListName } from '../filters/keys.ts';
import { isForDeclared, noteForeignWrite, readBackfill, restartBackfill, updateBackfill } from './record.ts';
import { deleteLeftItems, rewriteUsers } from './rewrite.ts';

const MAX_PARALLEL = 10;

/** Corrects derived items after writes by another release, and after deletions or replacements by hand. */
export const correctDerivedItems: Reaction = async (batch) => {
  if (!batch.records.some(isOfUser)) return;
  const backfill = await readBackfill();
  const isCurrent = isForDeclared(backfill);
  // Restart another release's backfill: it may have processed these users before this release wrote them.
  if (!isCurrent) await updateBackfill((last) => (isForDeclared(last) ? undefined : restartBackfill(last)));
  const findDeletion = await readDeletions(batch);
  await batch.runEach((record) => {
    if (!isOfUser(record)) return undefined;
    const [before, after] = [parse(record.before), parse(record.after)];
    if (record.kind !== 'DELETED') return correct(before, after, isCurrent);
    const deletion = findDeletion(record);
    // A deletion by hand leaves no deletion record.
    if (!deletion) return settleDeletionByHand(record, before);
    // A merge leaves index entries that its transaction has no room for. A later erasure removes `mergedInto`.
    return deletion.mergedInto || deletion.erasure ? deleteRecordedItems(before) : undefined;
  }, MAX_PARALLEL);
};

const isOfUser = ({ entity }: StreamRecord): boolean => entity?.type === 'user';

async function settleDeletionByHand(record: StreamRecord, before: StoredUser | undefined): Promise<void> {
  await deleteRecordedItems(before);
  await recordDeletionByHand(record);
}

const parse = (item: Item | undefined): StoredUser | undefined => item && tryParseStoredUser(item);

const deleteRecordedItems = async (user: StoredUser | undefined): Promise<void> => {
  if (user) await deleteLeftItems(user.user.id, user.derived);
};

/** `isCurrent` is false if the last backfill was for another release, which then corrects the entries. */
async function correct(
  before: StoredUser | undefined,
  after: StoredUser | undefined,
  isCurrent: boolean,
): Promise<void> {
  if (!after) return;
  // A replacement by hand drops `derived`, so only the previous version lists the derived items.
  if (after.record === undefined) await deleteRecordedItems(before);
  if (!isCurrent || hasExpectedKeys(after)) return;
  // Changes by hand keep the version. Do not mistake them for writes of another release.
  if (before?.user.version !== after.user.version) await noteWrongEntries(after);
  const [item] = await getItems([userKey(after.user.id)], { ConsistentRead: true });
  const current = parse(item);
  if (current) await rewriteUsers([current]);
}

async function noteWrongEntries({ user, derived }: StoredUser): Promise<void> {
  const { puts, deletes } = compareDerived(derived, user, user.id);
  const keys = [...puts.map(({ key }) => key), ...deletes].filter(isListKey);
  const lists = [...new Set(keys.map(({ pk }) => parseListName(pk)))];
  if (lists.length > 0) await updateBackfill((last) => noteForeignWrite(last, lists));
}
