import type { Key } from '../../dynamodb/keys.ts';

/** The progress of the backfill, with the declarations that it completes users for. */
export const backfillKey: Key = { pk: 'FIELDS', sk: 'BACKFILL' };
