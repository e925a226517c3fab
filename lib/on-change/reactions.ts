import { createLogAppender } from '../features/change-log/log-appender.ts';
import { markErased } from '../features/erasure/erased-records.ts';
import { updateSearchEntries } from '../features/search/stream-entries.ts';
import { purgeDeletedAuthors } from '../posts/purge.ts';
import type { Reaction } from './batch.ts';

/** What happens with the records of the table's stream, in this order. An execution environment makes them once, as they may remember something. */
export const createReactions = (): Reaction[] => [
  markErased,
  createLogAppender(),
  updateSearchEntries,
  purgeDeletedAuthors,
];
