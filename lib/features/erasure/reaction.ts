import { environment } from '../../environment.ts';
import type { Reaction } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import { type Erasure, readErasures } from './record.ts';

/**
 * A stream record older than this is late. An erasure takes longer, so it still erases the entries of younger records.
 */
const LATE_MS = 60_000;

/** Maximum difference between the times of writers and the stream's times, which are rounded. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Marks late records and deletions of posts: an erasure may complete before they are logged. */
export const markErased: Reaction = async (batch) => {
  // Only the change log needs the marks.
  if (!environment.keepsChangeLog) return;
  try {
    batch.markErased(await findErased(batch.records));
  } catch (error) {
    batch.fail(batch.records, error);
  }
};

/**
 * Changes after the request belong to a user brought back by an import, except deletions of the erased person's posts.
 * The job deletes the last post before it completes the erasure.
 */
async function findErased(records: StreamRecord[]): Promise<StreamRecord[]> {
  const isLate = ({ streamedAt }: StreamRecord) => streamedAt < environment.now() - LATE_MS;
  // After a restore or an outage, `on-change` may delete posts just before an erasure completes.
  const isDeletedPost = ({ kind, entity }: StreamRecord) => kind === 'DELETED' && entity?.type === 'post';
  const suspects = records.flatMap((record) =>
    record.entity && (isLate(record) || isDeletedPost(record)) ? [{ record, userId: record.entity.userId }] : [],
  );
  const erasures = await readErasures(suspects.map(({ userId }) => userId));
  return suspects.flatMap(({ record, userId }) => {
    const erasure = erasures.get(userId);
    return erasure && record.streamedAt <= findEnd(record, erasure) + MAX_CLOCK_SKEW_MS ? [record] : [];
  });
}

function findEnd({ kind }: StreamRecord, { requestedAt, completedAt }: Erasure): number {
  if (kind !== 'DELETED') return Date.parse(requestedAt);
  return completedAt === null ? Number.POSITIVE_INFINITY : Date.parse(completedAt);
}
