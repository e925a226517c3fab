const ROUNDS = 8;
const FACTOR = 8;
/** Shortest time to compare: shorter ones are within the measurement error. */
const MIN_MICROSECONDS = 1_000;

/** A limit between the growth of linear time (8-fold) and of quadratic time (64-fold). */
export const MAX_LINEAR_GROWTH = 3 * FACTOR;

/**
 * Returns the factor by which the time grows for an input of eight times the size. Compares minimums, to exclude
 * garbage collections and other load.
 */
export function measureGrowth(run: (size: number) => unknown, size: number): number {
  let count = FACTOR;
  while (measure(run, size, count) < MIN_MICROSECONDS) count *= 2;
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    small = Math.min(small, measure(run, size, count) / count);
    large = Math.min(large, measure(run, size * FACTOR, count / FACTOR) / (count / FACTOR));
  }
  return large / small;
}

/** Returns microseconds. */
function measure(run: (size: number) => unknown, size: number, count: number): number {
  const start = process.cpuUsage();
  for (let done = 0; done < count; done++) run(size);
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
