import type { Key } from '../../dynamodb/keys.ts';

/** Stores the progress of the backfill and its declarations. */
export const backfillKey: Key = { pk: 'FIELDS', sk: 'BACKFILL' };
