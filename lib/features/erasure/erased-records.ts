import type { DynamoDBRecord } from 'aws-lambda';
import { environment } from '../../environment.ts';
import { parseOwner } from '../../on-change/stream-record.ts';
import { readErasures } from './record.ts';

/** An erasure settles for longer than this before it is completed: what is younger is written, and erased then. */
const LATE_MS = 60_000;

/** The clocks of writers and of the stream may differ, which rounds its times. */
const MAX_CLOCK_SKEW_MS = 60_000;

export type IsErased = (record: DynamoDBRecord) => boolean;

/**
 * Finds the records of erased users and their posts: late ones may hold what was erased since. Later changes are those of a
 * user whom an import has brought back, but for the posts that were deleted with the user.
 */
export async function findErased(records: DynamoDBRecord[]): Promise<IsErased> {
  const late = records.flatMap((record) => {
    const owner = parseOwner(record);
    return owner && owner.streamedAt < environment.now() - LATE_MS ? [{ record, ...owner }] : [];
  });
  const erasures = await readErasures(late.map(({ userId }) => userId));
  const erased = late.filter(({ record, userId, streamedAt }) => {
    const erasure = erasures.get(userId);
    if (!erasure) return false;
    return record.eventName === 'REMOVE' || streamedAt <= Date.parse(erasure.requestedAt) + MAX_CLOCK_SKEW_MS;
  });
  const found = new Set(erased.map(({ record }) => record));
  return (record) => found.has(record);
}
