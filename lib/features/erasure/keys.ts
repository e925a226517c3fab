import type { Key } from '../../dynamodb/keys.ts';

/** Partition of all erasures, so that operators can list them after a restore. */
const ERASURES = 'ERASURES';
const PENDING = 'PENDING#';

export const erasureKey = (userId: string): Key => ({ pk: ERASURES, sk: userId });
export const pendingErasureKey = (userId = ''): Key => ({ pk: ERASURES, sk: `${PENDING}${userId}` });
export const parseErasureKey = (sk: string): string => sk.replace(PENDING, '');
