import type { TransactItem } from '../dynamodb/transact.ts';
import { postDeletionRecord } from '../features/change-log/deletions.ts';
import type { PostDeletion } from './write.ts';

/** Features add these items to the transaction that deletes a post. The items have no conditions. */
export const companions: readonly ((deletion: PostDeletion) => TransactItem)[] = [postDeletionRecord];
