import type { Reaction } from '../../on-change/batch.ts';
import { deleteEntries, updateEntries } from './entries.ts';

/** A user has some three search entries, each one request. */
const MAX_PARALLEL_UPDATES = 10;

/** Brings the search entries of users to what each write made of the user. */
export const updateSearchEntries: Reaction = (batch) =>
  batch.runEach((record) => {
    if (record.entity?.type !== 'user') return undefined;
    return batch.isErased(record) ? deleteEntries(record) : updateEntries(record);
  }, MAX_PARALLEL_UPDATES);
