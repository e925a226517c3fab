import type { Key } from '../../dynamodb/keys.ts';

/** Erasures are few, and stand together, so that an operator can list them after a restore. */
const ERASURES = 'ERASURES';
const PENDING = 'PENDING#';

/** The record of an erasure. */
export const erasureKey = (userId: string): Key => ({ pk: ERASURES, sk: userId });
/** The place of an erasure in the queue of those that are not completed. A key that has no id is the beginning of all of them. */
export const pendingErasureKey = (userId = ''): Key => ({ pk: ERASURES, sk: `${PENDING}${userId}` });
export const parseErasureKey = (sk: string): string => sk.replace(PENDING, '');
