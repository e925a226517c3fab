import { emailKey, isEmailKey, type Key } from '../dynamodb/keys.ts';
import { listFieldClaims, listPossibleFieldClaims } from '../features/own-fields/claims.ts';
import { isUniqueKey } from '../features/own-fields/keys.ts';
import { canonicalEmail } from './email.ts';
import type { User } from './schema.ts';

/**
 * Only one user may have the email address, and a value of a unique field. The key of the claim is the value, so that the
 * table itself keeps two users from sharing it.
 */
export type Claim = { field: string; key: Key };

export const isClaimKey = (key: Key): boolean => isEmailKey(key) || isUniqueKey(key);

export const listClaims = (user: Pick<User, 'email' | 'own'>): Claim[] => [
  createEmailClaim(user.email),
  ...listFieldClaims(user),
];

/** The claims that were made of a user's stored values under any declaration of own fields. */
export const listPossibleClaims = (user: Pick<User, 'email' | 'fields'>): Claim[] => [
  createEmailClaim(user.email),
  ...listPossibleFieldClaims(user),
];

export const createEmailClaim = (email: string): Claim => ({ field: 'email', key: emailKey(canonicalEmail(email)) });

/** Tells whether a claim with this key is one of the user's. */
export const hasClaim = (user: User, { pk }: Key): boolean => listClaims(user).some(({ key }) => key.pk === pk);
