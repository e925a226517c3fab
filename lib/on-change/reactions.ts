import { correctDerivedItems } from '../features/backfill/reaction.ts';
import { createLogAppender } from '../features/change-log/reaction.ts';
import { markErased } from '../features/erasure/reaction.ts';
import { returnMergedPosts } from '../features/merge/posts.ts';
import { purgeDeletedAuthors } from '../posts/purge.ts';
import type { Reaction } from './batch.ts';

/** Creates reactions in execution order. Reactions may keep state: create them once per Lambda environment. */
export const createReactions = (): Reaction[] => [
  markErased,
  createLogAppender(),
  correctDerivedItems,
  purgeDeletedAuthors,
  returnMergedPosts,
];
