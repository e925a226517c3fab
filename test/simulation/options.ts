import type { sizes } from '../../lib/sizes.ts';
import { createRandom } from './random.ts';

/** What may happen to one request. */
export const FAULTS = [
  /** The connection breaks before DynamoDB has it. */
  'lost request',
  /** It is executed, but the connection breaks before the answer. */
  'lost answer',
  /** It arrives late: mostly when its sender has given it up. */
  'slow request',
  /** It is executed, but its answer arrives late. */
  'slow answer',
  'throttled',
  /** Only where another request in flight has an item in common, as DynamoDB does it. */
  'conflict',
  'server error',
  /** A part of a batch is not executed. */
  'unprocessed',
  /** The handler dies before DynamoDB has the request. */
  'crash before',
  /** It is executed, and the handler dies. */
  'crash after',
] as const;

export type Fault = (typeof FAULTS)[number];

/** Every knob of one history. Probabilities are from 0 to 1, times in milliseconds of virtual time. */
export type FaultOptions = {
  /** How likely each fault is for one request. */
  rates: Record<Fault, number>;
  /** For how long, from the first request on, DynamoDB is slow and throttles: deadlines have to end what is on its way. */
  outageMs: number;
  /** How likely an eventually consistent read shows an older state, within `maxLagMs` and `maxDeletedLagMs`. */
  staleReads: number;
  /** How likely a read shows some items of a transaction without the others. */
  tornReads: number;
  /** How far a read may be behind. DynamoDB promises nothing; lib/users/page-index/timing.ts says what is taken for granted. */
  maxLagMs: number;
  /** How long the index may show a deleted user. */
  maxDeletedLagMs: number;
  /** How many items a query reads at most before it ends with a `LastEvaluatedKey`, which DynamoDB does at 1 MB. */
  itemsPerPage: number;
  /** How likely a batch of the stream is delivered again at once. */
  duplicates: number;
  /** How likely a batch is delivered again after the next long pause, as an operator does from the dead-letter queue. */
  lateDuplicates: number;
  /** How likely the database deletes an expired item each time that it looks for them; DynamoDB takes up to some days. */
  expiryDeletes: number;
  /** How far the clock of an environment may be off. Two environments differ by at most twice as much. */
  maxSkewMs: number;
  /** How many environments there are, each with a clock and a budget of retries. They are few, so that invocations share them. */
  environments: number;
  /** How long a slow request, or a slow answer, may take. */
  maxLateMs: number;
  /** How long after its sender has given it up a request may still arrive. */
  maxAfterAbortMs: number;
  /** How many shards the table's stream has, and how many records a batch of it holds at most. */
  shards: number;
  maxBatchSize: number;
};

/** What the clients and the checks rely on: the service promises nothing beyond it. */
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

/** How likely a request meets each of the faults of an outage. */
export const OUTAGE_RATES: Partial<Record<Fault, number>> = { 'slow request': 0.4, throttled: 0.4 };

/** The options of a history. Swarm testing: https://users.cs.utah.edu/~regehr/papers/swarm12.pdf */
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
  // Every fault has a rate.
  rates: Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>,
  outageMs: 0,
  staleReads: 0,
  tornReads: 0,
  duplicates: 0,
  lateDuplicates: 0,
  expiryDeletes: 1,
  itemsPerPage: Number.POSITIVE_INFINITY,
  maxSkewMs: 0,
};

/** Small, so that histories of a few users reach the branches beyond them. */
export const SMALL_SIZES: typeof sizes = {
  batchGet: 3,
  batchWrite: 2,
  list: 3,
  inlineSkip: 1,
  skip: 2,
  fanout: { users: 2, blocks: 2 },
  blocksPerBatch: 6,
  recentTombstones: 2,
  searchReads: 4,
  searchPrefix: 4,
  verifiedChanges: 2,
  verifiedItems: 10,
  firstPosts: 2,
  morePosts: 3,
  purgedPosts: 3,
  changesPerEntry: 2,
};
