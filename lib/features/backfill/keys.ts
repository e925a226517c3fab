import type { Key } from '../../dynamodb/keys.ts';

export const backfillKey: Key = { pk: 'FIELDS', sk: 'BACKFILL' };
