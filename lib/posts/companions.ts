import type { TransactItem } from '../dynamodb/transact.ts';
import { postDeletionRecord } from '../features/change-log/deletions.ts';
import type { PostDeletion } from './write.ts';

/** Items that features add to the transaction that deletes a post. They have no conditions. */
export const companions: readonly ((deletion: PostDeletion) => TransactItem)[] = [postDeletionRecord];
