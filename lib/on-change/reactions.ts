import { correctDerivedItems } from '../features/backfill/reaction.ts';
import { createLogAppender } from '../features/change-log/log-appender.ts';
import { markErased } from '../features/erasure/erased-records.ts';
import { purgeDeletedAuthors } from '../posts/purge.ts';
import type { Reaction } from './batch.ts';

/** The reactions to records of the table's stream, in this order. Each execution environment creates them once: they may keep state. */
export const createReactions = (): Reaction[] => [
  markErased,
  createLogAppender(),
  correctDerivedItems,
  purgeDeletedAuthors,
];
