import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { deletionKey, userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { environment } from '../../environment.ts';
import { notFound, userExists, valueTaken } from '../../errors.ts';
import { continueVersion, type DeletionRecord, parseDeletion } from '../../users/deletion-record.ts';
import { subjectField } from '../../users/fields/values.ts';
import { listReturnItems } from '../../users/return.ts';
import type { User } from '../../users/user.ts';
import { writeUser } from '../../users/write.ts';
import type { ChangeEntry } from '../change-log/entry.ts';
import { readGapEnd } from '../change-log/epochs.ts';
import { parseVersions } from '../change-log/versions.ts';
import { dropMissingGroups } from '../groups/memberships.ts';
import { readLastEntry } from './history.ts';

/**
 * Writes the last version of a deleted user as the next version, under the same id, without memberships of groups that
 * no longer exist. Posts not purged yet return, too.
 * Safe to repeat and to race: one writer of the id succeeds. Throws NOT_FOUND if the person was erased or the history
 * lacks the user. Throws CONFLICT if the user exists or a value is taken. Throws SERVICE_UNAVAILABLE while the change
 * log is late.
 */
export async function restoreUser(id: string, by: Actor): Promise<User> {
  const result = await writeUser({
    hasFormerId: true,
    dropsMissingGroups: true,
    // Reads again for each attempt, because the user may have been restored and deleted since.
    async plan() {
      const { user, deletedVersion, deletion } = await retryOnConflict(() => readLastVersion(id));
      const kept = await dropMissingGroups(user);
      return { after: continueVersion({ ...kept, by }, deletedVersion), deletion };
    },
    listCompanions: listReturnItems,
  });
  switch (result.kind) {
    case 'written':
      return result.change.after as User; // A creation always returns the user.
    case 'taken':
      throw result.field === 'id' ? userExists() : valueTaken(result.field, subjectField?.name);
    default:
      throw new Error(`restoreUser wrote no user: ${result.kind}`);
  }
}

type LastVersion = { user: User; deletedVersion: number; deletion: DeletionRecord | undefined };

/**
 * Reads the last version of a deleted user. Returns 'retry' while the change log is late. Throws NOT_FOUND if the person
 * was erased or the history lacks the user, and CONFLICT if the user exists.
 */
export async function readLastVersion(id: string): Promise<LastVersion | 'retry'> {
  const Key = userKey(id);
  const read = () => getItems([Key, deletionKey(Key)], { ConsistentRead: true });
  let found = await read();
  // Read again, because BatchGetItem is not atomic: it misses both items if the deletion lands between its two reads.
  if (found.length === 0) found = await read();
  const [first, ...others] = found;
  if (first?.sk === Key.sk || others.length > 0) throw userExists();
  const deletion = first && parseDeletion(first);
  if (deletion?.erasure) throw notFound('User');
  const entry = await readLastEntry(id);
  const last = entry && toLastVersion(entry);
  const isLast = deletion ? last?.deletedVersion === deletion.version : entry?.kind === 'DELETED';
  if (last && isLast) return { ...last, deletion };
  if (deletion && (await isLate(deletion))) return 'retry';
  throw notFound('User');
}

function toLastVersion(entry: ChangeEntry): Omit<LastVersion, 'deletion'> | undefined {
  const { kind, version } = entry;
  const { before, after } = parseVersions(entry);
  const user = kind === 'DELETED' ? before : after;
  // If the deletion is not logged yet, its version is the next one.
  return user && version !== null ? { user, deletedVersion: kind === 'DELETED' ? version : version + 1 } : undefined;
}

/** Lifetime of a stream record. */
const STREAM_RETENTION_MS = 24 * 3_600_000;

/** True while the log may still get the change. False if the log was off at the time. */
export async function isLate({ at }: Pick<DeletionRecord, 'at'>): Promise<boolean> {
  const time = Date.parse(at);
  return environment.now() - time < STREAM_RETENTION_MS && time >= (await readGapEnd());
}
