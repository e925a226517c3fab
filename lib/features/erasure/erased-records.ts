import { environment } from '../../environment.ts';
import type { Reaction } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import { readErasures } from './record.ts';

/** An erasure settles for longer than this before it is completed: what is younger is written, and erased then. */
const LATE_MS = 60_000;

/** The clocks of writers and of the stream may differ, which rounds its times. */
const MAX_CLOCK_SKEW_MS = 60_000;

/** Marks the records of erased users and their posts: late ones may hold what was erased since. */
export const markErased: Reaction = async (batch) => {
  try {
    batch.markErased(await findErased(batch.records));
  } catch (error) {
    batch.fail(batch.records, error);
  }
};

/** Later changes are those of a user whom an import has brought back, but for the posts that were deleted with the user. */
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
