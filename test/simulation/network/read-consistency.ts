import { latest, type Stored, type View } from '../database/store.ts';
import type { FaultOptions } from '../options.ts';
import { createRandom, type Random } from '../random.ts';
import type { Request } from './requests.ts';

/** When a read was sent and executed, counted in commits, and in ms. */
type Moment = { seed: string; now: number; sentAtCommit: number; lastCommit: number };

/**
 * What a read sees. No read of several items is a snapshot: of a transaction it may see some without the others.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
 */
export function chooseView({ id, operation, input }: Request, options: FaultOptions, moment: Moment): View {
  const random = createRandom(`${moment.seed} ${id} view`);
  const [isStale, isTorn] = [random.chance(options.staleReads), random.chance(options.tornReads)];
  if (isStale && !isConsistent(input)) return createStaleView(random, moment.now, 'IndexName' in input, options);
  if (!isTorn || moment.lastCommit === moment.sentAtCommit) return latest;
  if (operation === 'BatchGetItem') return createScatteredView(random, moment);
  return operation === 'Query' || operation === 'Scan' ? createTornView(random, moment) : latest;
}

/** Each item as it was some time ago. */
const createStaleView = (
  random: Random,
  now: number,
  isIndex: boolean,
  { maxLagMs, maxDeletedLagMs }: FaultOptions,
): View => {
  const isDeleted = (stored: Stored) => isIndex && latest(stored) === undefined;
  return (stored) => {
    const oldest = now - (isDeleted(stored) ? maxDeletedLagMs : maxLagMs);
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
