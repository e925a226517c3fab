import { TableName } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import type { Deletion } from '../../users/delete.ts';
import type { Return } from '../../users/return.ts';
import { erasureKey, pendingErasureKey } from './keys.ts';
import { createErasure } from './record.ts';

export const erasure = ({ user, by, erases }: Deletion): TransactItem[] => (erases ? createErasure(user.id, by) : []);

/** Withdraws a pending erasure when an import brings the person back. */
export const withdrawnErasure = ({ user, deletion }: Return): TransactItem[] =>
  deletion?.erasure === 'pending'
    ? [erasureKey(user.id), pendingErasureKey(user.id)].map((Key) => ({ Delete: { TableName, Key } }))
    : [];
