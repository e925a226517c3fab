import type { TransactItem } from '../dynamodb/transact.ts';
import { deletionRecord } from '../features/change-log/deletions.ts';
import { tombstone, userReturn } from '../features/page-index/adjustments.ts';
import type { Deletion } from './delete.ts';
import type { NewVersion } from './user.ts';

// Items that features add to a user's own transaction. They have no conditions.

/** Added to the deletion of a user. */
export const companions: readonly ((deletion: Deletion) => TransactItem[])[] = [tombstone, deletionRecord];

/** Added to the creation of a user under an id that is not new: an import that keeps ids, or a restore. */
export const returnCompanions: readonly ((user: NewVersion) => TransactItem[])[] = [userReturn];
