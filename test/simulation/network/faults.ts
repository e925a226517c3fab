import { createRandom } from '../random.ts';

/** What may happen to one request. */
export const FAULTS = [
  /** The connection breaks before DynamoDB has it. */
  'lost request',
  /** It is done, but the connection breaks before the answer. */
  'lost answer',
  /** It comes late: mostly when its sender has given it up. */
  'slow request',
  /** It is done, but its answer comes late. */
  'slow answer',
  'throttled',
  /** Only where another request in flight has an item in common, as DynamoDB does it. */
  'conflict',
  'server error',
  /** Of a batch a part is not done. */
  'unprocessed',
  /** The handler dies before DynamoDB has the request. */
  'crash before',
  /** It is done, and the handler dies. */
  'crash after',
] as const;

export type Fault = (typeof FAULTS)[number];

/** How likely each is in one history: some have none, some have one kind, some have all. */
export type FaultMix = {
  rates: Record<Fault, number>;
  /** That a read sees an older state where DynamoDB allows it, and some items of a transaction without the others. */
  staleReads: number;
  tornReads: number;
  /** That a batch of the stream is delivered again. */
  duplicates: number;
  skew: boolean;
};

const RATES = [0, 0, 0.01, 0.03, 0.1];

/** The mix of a history. Swarm testing: https://users.cs.utah.edu/~regehr/papers/swarm12.pdf */
export function chooseFaults(seed: string): FaultMix {
  const random = createRandom(`${seed} faults`);
  const calm = random.chance(0.1);
  // DynamoDB is slow and throttles for seconds: deadlines have to end what is on its way.
  const outage = !calm && random.chance(0.1);
  const rate = () => (calm ? 0 : random.pick(RATES));
  return {
    rates: {
      'lost request': rate(),
      'lost answer': rate(),
      'slow request': outage ? 0.4 : rate(),
      'slow answer': rate(),
      throttled: outage ? 0.4 : rate(),
      conflict: calm ? 0 : random.pick([0, 0.3, 0.8]),
      'server error': rate(),
      unprocessed: calm ? 0 : random.pick([0, 0.3, 0.6]),
      'crash before': rate() / 3,
      'crash after': rate() / 3,
    },
    staleReads: calm ? 0 : random.pick([0, 0.2, 0.7]),
    tornReads: calm ? 0 : random.pick([0, 0.5, 1]),
    duplicates: calm ? 0 : random.pick([0, 0.1, 0.4]),
    skew: random.chance(0.7),
  };
}

export const NO_FAULTS: FaultMix = {
  // Every fault has a rate.
  rates: Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>,
  staleReads: 0,
  tornReads: 0,
  duplicates: 0,
  skew: false,
};
