import type { TransactItem } from '../dynamodb/transact.ts';
import { postDeletionRecord } from '../features/change-log/deletions.ts';
import type { PostDeletion } from './write.ts';

/** Unconditional items in the deletion of a post. */
export const companions: readonly ((deletion: PostDeletion) => TransactItem)[] = [postDeletionRecord];
