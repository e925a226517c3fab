import type { Mutants } from './mutants.ts';

/** Blocks, tombstones and the readers of both. */
export const pageIndexMutants: Mutants = {};
