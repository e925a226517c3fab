import * as z from 'zod/mini';
import { MAX_FIRST } from './connection.ts';

// Separate from connection.ts, which cold starts load without zod.

export const firstOfConnection = z.nullish(
  z.int().check(z.minimum(1, 'must be at least 1'), z.maximum(MAX_FIRST, `must be at most ${MAX_FIRST}`)),
);
export const DEFAULT_FIRST = 20;
