import { createHash } from 'node:crypto';
import type { Key } from '../../dynamodb/keys.ts';

/** Partition of all erasures, so that operators can list them after a restore. */
const ERASURES = 'ERASURES';
const PENDING = 'PENDING#';

export const erasureKey = (userId: string): Key => ({ pk: ERASURES, sk: userId });
export const pendingErasureKey = (userId = ''): Key => ({ pk: ERASURES, sk: `${PENDING}${userId}` });
/** Key of a deleted user under a former claim. The hash hides the subject or address. */
export const formerRecordKey = (claim: Key, userId = ''): Key => ({
  pk: `FORMER#${createHash('sha256').update(claim.pk).digest('base64url')}`,
  sk: userId,
});

export const parseErasureKey = (sk: string): string => sk.replace(PENDING, '');
