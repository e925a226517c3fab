import type { sizes } from '../../lib/sizes.ts';
import { createRandom } from './random.ts';

/**
 * Every knob of one history: what may go wrong, how often, and by how much. Probabilities are from 0 to 1, times in
 * milliseconds of virtual time.
 */
export type FaultOptions = {
  /** Each request meets at most one of these faults, with this probability. */
  rates: {
    /** The connection breaks before DynamoDB has the request. */
    'lost request': number;
    /** The request is executed, but the connection breaks before the answer. */
    'lost answer': number;
    /** The request arrives late, up to `maxLateMs`: mostly when its sender has given it up. */
    'slow request': number;
    /** The request is executed, but its answer arrives late, up to `maxLateMs`. */
    'slow answer': number;
    /** DynamoDB throttles the request. */
    throttled: number;
    /** DynamoDB cancels a write because another request in flight has an item in common with it. Others do not meet this. */
    conflict: number;
    /** DynamoDB answers 500; it may have executed the request nevertheless. */
    'server error': number;
    /** DynamoDB executes only a part of a batch, or the event bus takes only some of its entries. */
    unprocessed: number;
    /** The handler dies before DynamoDB has the request. */
    'crash before': number;
    /** The request is executed, and the handler dies. */
    'crash after': number;
  };
  /**
   * For so long, from the first request on, DynamoDB is slow and throttles with the probabilities of `OUTAGE_RATES`:
   * deadlines have to end what is on its way.
   */
  outageMs: number;
  /** The event bus is down until all else has settled: subscribers have to get every change all the same. */
  isBusDown: boolean;
  /** With this probability an eventually consistent read shows an older state, within `maxLagMs` and `maxDeletedLagMs`. */
  staleReads: number;
  /** With this probability a read shows some items of a transaction without the others. */
  tornReads: number;
  /** A read is at most so far behind. DynamoDB promises nothing; lib/features/page-index/timing.ts says what is taken for granted. */
  maxLagMs: number;
  /** The index shows a deleted user for at most so long. */
  maxDeletedLagMs: number;
  /** A query reads at most so many items before it ends with a `LastEvaluatedKey`, which DynamoDB does at 1 MB. */
  itemsPerPage: number;
  /** With this probability a batch of the stream is delivered again at once. */
  duplicates: number;
  /** With this probability a batch is delivered again after the next long pause, as an operator does from the dead-letter queue. */
  lateDuplicates: number;
  /** With this probability the database deletes an expired item each time that it looks for them; DynamoDB takes up to some days. */
  expiryDeletes: number;
  /** The clock of an environment is off by at most so much. Two environments differ by at most twice as much. */
  maxSkewMs: number;
  /** There are so many environments, each with a clock and a budget of retries. They are few, so that invocations share them. */
  environments: number;
  /** A slow request, or a slow answer, takes at most so long. */
  maxLateMs: number;
  /** A request may still arrive so long after its sender has given it up. */
  maxAfterAbortMs: number;
  /** The table's stream has so many shards. */
  shards: number;
  /** A batch of the stream holds at most so many records. */
  maxBatchSize: number;
};

export type Fault = keyof FaultOptions['rates'];

/** An outage replaces the rates of these faults. */
export const OUTAGE_RATES: Partial<Record<Fault, number>> = { 'slow request': 0.4, throttled: 0.4 };

/** The clients and the checks rely on these: the service promises nothing beyond them. */
const ASSUMED = {
  maxLagMs: 1_000,
  maxDeletedLagMs: 10_000,
  environments: 4,
  maxLateMs: 2_500,
  maxAfterAbortMs: 500,
  shards: 2,
  maxBatchSize: 8,
};

const RATES = [0, 0, 0.01, 0.03, 0.1];

/** Chooses the options of a history by swarm testing: https://users.cs.utah.edu/~regehr/papers/swarm12.pdf */
export function chooseOptions(seed: string): FaultOptions {
  const random = createRandom(`${seed} faults`);
  const calm = random.chance(0.1);
  const outage = !calm && random.chance(0.1);
  const rate = () => (calm ? 0 : random.pick(RATES));
  return {
    ...ASSUMED,
    rates: {
      'lost request': rate(),
      'lost answer': rate(),
      'slow request': rate(),
      'slow answer': rate(),
      throttled: rate(),
      conflict: calm ? 0 : random.pick([0, 0.3, 0.8]),
      'server error': rate(),
      unprocessed: calm ? 0 : random.pick([0, 0.3, 0.6]),
      'crash before': rate() / 3,
      'crash after': rate() / 3,
    },
    outageMs: outage ? random.int(2_000, 30_000) : 0,
    isBusDown: createRandom(`${seed} bus`).chance(0.2),
    staleReads: calm ? 0 : random.pick([0, 0.2, 0.7]),
    tornReads: calm ? 0 : random.pick([0, 0.5, 1]),
    duplicates: calm ? 0 : random.pick([0, 0.1, 0.4]),
    maxSkewMs: random.chance(0.7) ? 750 : 0,
    itemsPerPage: random.pick([2, 5, Number.POSITIVE_INFINITY]),
    lateDuplicates: random.pick([0, 0.5, 1]),
    expiryDeletes: random.pick([0, 0.5, 1]),
  };
}

/** Nothing goes wrong while users are created before, and while all is read after the clients. */
export const NO_FAULTS: FaultOptions = {
  ...ASSUMED,
  rates: {
    'lost request': 0,
    'lost answer': 0,
    'slow request': 0,
    'slow answer': 0,
    throttled: 0,
    conflict: 0,
    'server error': 0,
    unprocessed: 0,
    'crash before': 0,
    'crash after': 0,
  },
  outageMs: 0,
  isBusDown: false,
  staleReads: 0,
  tornReads: 0,
  duplicates: 0,
  lateDuplicates: 0,
  expiryDeletes: 1,
  itemsPerPage: Number.POSITIVE_INFINITY,
  maxSkewMs: 0,
};

/** A request meets the first of these that its luck picks. Object.keys forgets the type of the names. */
export const FAULTS = Object.keys(NO_FAULTS.rates) as Fault[];

/** They are small, so that histories of a few users reach the branches beyond them. */
export const SMALL_SIZES: typeof sizes = {
  batchGet: 3,
  batchWrite: 2,
  list: 3,
  inlineSkip: 1,
  skip: 2,
  fanout: { users: 2, blocks: 2 },
  blocksPerBatch: 6,
  recentAdjustments: 2,
  adjustments: 2,
  filteredReads: 4,
  searchReads: 4,
  searchPrefixes: 3,
  firstPosts: 2,
  morePosts: 3,
  purgedPosts: 3,
  undeliveredChanges: 2,
  changesPerEntry: 2,
  refsPerPage: 3,
};
