import type { FaultMix } from './faults.ts';
import { createRandom } from '../random.ts';
import { latest, type Stored, type View } from '../database/store.ts';
import type { Request } from './request.ts';

/**
 * How far a read that is eventually consistent may be behind, in ms. DynamoDB promises nothing; lib/users/page-index/timing.ts
 * says what the page index takes for granted, and these keep within it.
 */
export const MAX_LAG_MS = 1_000;
/** The index may show a deleted user for longer. */
export const MAX_DELETED_LAG_MS = 10_000;

const READS_MANY = /^(Query|Scan|BatchGet)/;

/**
 * What a read sees. Of several items each may be seen at another moment between its sending and its execution, even if
 * one transaction wrote them; one that is eventually consistent may be older.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
 */
export function chooseView(
  { id, operation, input }: Request,
  { staleReads, tornReads }: FaultMix,
  { seed, now, sentAtCommit }: { seed: string; now: number; sentAtCommit: number },
): View {
  const random = createRandom(`${seed} ${id} view`);
  const isStale = random.chance(staleReads);
  const isTorn = random.chance(tornReads);
  if (isStale && !isConsistent(input)) {
    const isDeleted = (stored: Stored) => input.IndexName && latest(stored) === undefined;
    const oldest = (stored: Stored) => now - (isDeleted(stored) ? MAX_DELETED_LAG_MS : MAX_LAG_MS);
    return (stored) => {
      const from = stored.versions.findLastIndex(({ at }) => at <= oldest(stored));
      return pickVersion(stored, isDeleted(stored) ? Math.max(0, from) : from, random.next());
    };
  }
  if (isTorn && READS_MANY.test(operation))
    return (stored) =>
      pickVersion(
        stored,
        stored.versions.findLastIndex(({ commit }) => commit <= sentAtCommit),
        random.next(),
      );
  return latest;
}

/** Any version from the one at an index on; -1 stands for the time before the first. */
function pickVersion({ versions }: Stored, from: number, luck: number) {
  const at = from + Math.floor(luck * (versions.length - from));
  return versions[at]?.item;
}

const isConsistent = (input: object): boolean => {
  if ('RequestItems' in input) return JSON.stringify(input.RequestItems).includes('"ConsistentRead":true');
  return 'ConsistentRead' in input && input.ConsistentRead === true;
};
