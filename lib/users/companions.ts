import type { TransactItem } from '../dynamodb/transact.ts';
import { formerDeletion } from '../features/change-log/deletions.ts';
import { formerRecords } from '../features/erasure/former-records.ts';
import { requestedErasure, withdrawnErasure } from '../features/erasure/record.ts';
import { deletedPerson } from '../features/me/person-item.ts';
import { tombstone, userReturn } from '../features/page-index/adjustments.ts';
import { type Deletion, deletionRecord, type ReturningUser } from './deletion-record.ts';

// Items added to the transaction that deletes a user, without conditions.

export const companions: readonly ((deletion: Deletion) => TransactItem[])[] = [
  tombstone,
  deletionRecord,
  requestedErasure,
  formerRecords,
  deletedPerson,
];

/** Items added when a user is created under a former id: an import that keeps ids, or a restore. */
export const returnCompanions: readonly ((returning: ReturningUser) => TransactItem[])[] = [
  userReturn,
  formerDeletion,
  withdrawnErasure,
];
