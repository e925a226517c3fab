import fc from 'fast-check';

// Property tests try the same inputs in each run. `TEST_SEED=7 npm test` tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
