import type { sizes } from '../../lib/sizes.ts';
import { createRandom } from './random.ts';

/** Probabilities from 0 to 1, virtual times in ms. */
export type FaultOptions = {
  /** A request meets at most one fault. */
  rates: {
    /** The connection breaks before DynamoDB receives the request. */
    'lost request': number;
    /** The connection breaks before the answer. */
    'lost answer': number;
    /** The request arrives up to `maxLateMs` late, mostly after the sender's timeout. */
    'slow request': number;
    /** The answer arrives up to `maxLateMs` late. */
    'slow answer': number;
    throttled: number;
    /** The request fails, because another write in flight contains the same item. */
    conflict: number;
    /** Status 500. The request may have been executed. */
    'server error': number;
    /** A batch is executed, or events accepted, in part. */
    unprocessed: number;
    /** The handler dies before DynamoDB receives the request. */
    'crash before': number;
    /** DynamoDB executes the request, and the handler dies. */
    'crash after': number;
  };
  /** DynamoDB is slow and throttles (`OUTAGE_RATES`) for this long after the first request. */
  outageMs: number;
  /** EventBridge fails until all other work has ended. */
  isBusDown: boolean;
  /** Probability of a stale read, if eventually consistent. */
  staleReads: number;
  /** Probability of a read with part of a transaction. */
  tornReads: number;
  /** DynamoDB promises no limit. lib/features/page-index/timing.ts has the service's assumptions. */
  maxLagMs: number;
  /** How long the GSI may still show a deleted user. */
  maxDeletedLagMs: number;
  /** Maximum items per query. DynamoDB stops at 1 MB. */
  itemsPerPage: number;
  /** Probability of a second delivery of a stream batch. */
  duplicates: number;
  /** Probability of another delivery after the next long pause, like a redrive. */
  lateDuplicates: number;
  /** Probability of deletion per expiry run. DynamoDB takes up to some days. */
  expiryDeletes: number;
  /** Clock error of one environment. Two may differ by twice as much. */
  maxSkewMs: number;
  /** Number of environments per function. Few, so that invocations share a clock and a retry budget. */
  environments: number;
  maxLateMs: number;
  /** How late a request may arrive after its sender's timeout. */
  maxAfterAbortMs: number;
  shards: number;
  maxBatchSize: number;
};

export type Fault = keyof FaultOptions['rates'];

export const OUTAGE_RATES: Partial<Record<Fault, number>> = { 'slow request': 0.4, throttled: 0.4 };

/** Maximums that the service assumes. Beyond them, it promises nothing. */
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

/** Chooses faults per history (swarm testing): https://users.cs.utah.edu/~regehr/papers/swarm12.pdf */
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

/** Used for the first users and the final reads. */
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

/** The cast restores the type of the names, which Object.keys loses. */
export const FAULTS = Object.keys(NO_FAULTS.rates) as Fault[];

/** Sizes so small that a few users exceed them. */
export const SMALL_SIZES: typeof sizes = {
  batchGet: 3,
  batchWrite: 2,
  list: 3,
  inlineSkip: 1,
  skip: 2,
  fanout: { users: 2, blocks: 2 },
  blocksPerBatch: 6,
  indexedUsers: 10,
  recentAdjustments: 2,
  adjustments: 2,
  pageReads: 4,
  sorted: 4,
  searchReads: 4,
  searchPrefixes: 3,
  firstPosts: 2,
  morePosts: 3,
  purgedPosts: 3,
  movedPosts: 2,
  scannedPosts: 3,
  undeliveredChanges: 2,
  changesPerEntry: 2,
  refsPerPage: 3,
};
