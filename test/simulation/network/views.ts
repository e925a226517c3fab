import { latest, type Stored, type View } from '../database/store.ts';
import { createRandom, type Random } from '../random.ts';
import type { FaultMix } from './faults.ts';
import type { Request } from './request.ts';

/**
 * How far a read that is eventually consistent may be behind, in ms. DynamoDB promises nothing; lib/users/page-index/timing.ts
 * says what the page index takes for granted, and these keep within it.
 */
export const MAX_LAG_MS = 1_000;
/** The index may show a deleted user for longer. */
export const MAX_DELETED_LAG_MS = 10_000;

/** When a read was sent and executed, counted in commits, and in ms. */
type Moment = { seed: string; now: number; sentAtCommit: number; lastCommit: number };

/**
 * What a read sees. No read of several items is a snapshot: of a transaction it may see some without the others.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
 */
export function chooseView({ id, operation, input }: Request, faults: FaultMix, moment: Moment): View {
  const random = createRandom(`${moment.seed} ${id} view`);
  const [isStale, isTorn] = [random.chance(faults.staleReads), random.chance(faults.tornReads)];
  if (isStale && !isConsistent(input)) return createStaleView(random, moment.now, 'IndexName' in input);
  if (!isTorn || moment.lastCommit === moment.sentAtCommit) return latest;
  if (operation === 'BatchGetItem') return createScatteredView(random, moment);
  return operation === 'Query' || operation === 'Scan' ? createTornView(random, moment) : latest;
}

/** Each item as it was some time ago. */
const createStaleView = (random: Random, now: number, isIndex: boolean): View => {
  const isDeleted = (stored: Stored) => isIndex && latest(stored) === undefined;
  return (stored) => {
    const oldest = now - (isDeleted(stored) ? MAX_DELETED_LAG_MS : MAX_LAG_MS);
    const from = stored.versions.findLastIndex(({ at }) => at <= oldest);
    return pickVersion(stored, isDeleted(stored) ? Math.max(0, from) : from, random.next());
  };
};

/** The items of a batch are in different partitions, and are not read at the same moment. */
const createScatteredView =
  (random: Random, { sentAtCommit }: Moment): View =>
  (stored) => {
    const from = stored.versions.findLastIndex(({ commit }) => commit <= sentAtCommit);
    return pickVersion(stored, from, random.next());
  };

/** A partition is read at once, but in the middle of a commit. */
const createTornView = (random: Random, { sentAtCommit, lastCommit }: Moment): View => {
  const torn = random.int(sentAtCommit + 1, lastCommit);
  return ({ versions }) =>
    versions.findLast(({ commit }) => commit < torn || (commit === torn && random.chance(0.5)))?.item;
};

/** Any version from the one at an index on; -1 stands for the time before the first. */
function pickVersion({ versions }: Stored, from: number, luck: number) {
  const at = from + Math.floor(luck * (versions.length - from));
  return versions[at]?.item;
}

const isConsistent = (input: object): boolean => {
  if ('RequestItems' in input) return JSON.stringify(input.RequestItems).includes('"ConsistentRead":true');
  return 'ConsistentRead' in input && input.ConsistentRead === true;
};
