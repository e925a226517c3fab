import type { TransactItem } from '../dynamodb/transact.ts';
import { postDeletionRecord } from '../features/change-log/deletions.ts';
import type { PostDeletion } from './write.ts';

/** Items added to the transaction that deletes a post, without conditions. */
export const companions: readonly ((deletion: PostDeletion) => TransactItem)[] = [postDeletionRecord];
