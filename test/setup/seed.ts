import fc from 'fast-check';

// A fixed seed, so that each run tries the same inputs. `TEST_SEED=7 npm test` tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
