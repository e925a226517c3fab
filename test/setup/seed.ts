import fc from 'fast-check';

// A fixed seed, so that each run tries the same inputs. `TEST_SEED=7 npm test` tries others, and more of them.
/** True if all inputs are tried, as at night. */
export const isThorough = process.env.TEST_SEED !== undefined;

/** Number of inputs to try: a tenth of `count`, unless a run tries all. */
export const countRuns = (count: number): number => (isThorough ? count : Math.ceil(count / 10));

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1), numRuns: countRuns(100) });
