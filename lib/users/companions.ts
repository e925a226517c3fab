import type { TransactItem } from '../dynamodb/transact.ts';
import { deletionRecord } from '../features/change-log/deletions.ts';
import { tombstone } from '../features/page-index/tombstones.ts';
import type { Deletion } from './delete.ts';

/** Items that features add to the transaction that deletes a user. They have no conditions. */
export const companions: readonly ((deletion: Deletion) => TransactItem[])[] = [tombstone, deletionRecord];
