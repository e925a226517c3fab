import { environment } from '../../environment.ts';
import type { Reaction } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import { readErasures } from './record.ts';

/** An erasure waits longer than this before it completes, so younger records are logged first and erased then. */
const LATE_MS = 60_000;

/** Maximum clock difference between writers and the stream, which rounds its times. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Marks late records of erased users and their posts: they may contain data erased since. */
export const markErased: Reaction = async (batch) => {
  try {
    batch.markErased(await findErased(batch.records));
  } catch (error) {
    batch.fail(batch.records, error);
  }
};

/**
 * An import may have brought back the user, so later changes are kept. Deletions are the exception: they concern posts
 * that were deleted with the former user.
 */
async function findErased(records: StreamRecord[]): Promise<StreamRecord[]> {
  const isLate = ({ streamedAt }: StreamRecord) => streamedAt < environment.now() - LATE_MS;
  const late = records.flatMap((record) =>
    record.entity && isLate(record) ? [{ record, userId: record.entity.userId }] : [],
  );
  const erasures = await readErasures(late.map(({ userId }) => userId));
  return late.flatMap(({ record, userId }) => {
    const erasure = erasures.get(userId);
    const endedAt = erasure && Date.parse(erasure.requestedAt) + MAX_CLOCK_SKEW_MS;
    return endedAt && (record.kind === 'DELETED' || record.streamedAt <= endedAt) ? [record] : [];
  });
}
