import type { Key } from '../../dynamodb/keys.ts';

/** The item with the position in the order log up to which the users that were changed, their claims and search entries are verified. */
export const verifiedChangesKey: Key = { pk: 'SEARCH', sk: 'CHANGES' };

/** The item that says how far users and search entries are verified in turn. */
export const searchCheckpointKey: Key = { pk: 'SEARCH', sk: 'CHECKPOINT' };

/** The item with the unique and search fields for which all users were given claims and entries, or how far that is. */
export const backfillKey: Key = { pk: 'FIELDS', sk: 'BACKFILL' };
