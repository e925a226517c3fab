import fc from 'fast-check';

// A fixed seed, so that each run tries the same inputs. `TEST_SEED=7 npm test` tries others, and more of them.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

/** Number of inputs to try: a quarter of `count`, unless a run tries new inputs. */
export const countRuns = (count: number): number => (process.env.TEST_SEED ? count : Math.ceil(count / 4));
