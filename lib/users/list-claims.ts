import { emailKey, type Key, uniqueKey } from '../dynamodb/keys.ts';
import { type FieldValue, MAX_LENGTH, MAX_UNIQUE_BYTES, type OwnField } from '../features/own-fields/declaration.ts';
import { showValue, uniqueFields } from '../features/own-fields/declared.ts';
import { canonicalText } from '../input/plain-text.ts';
import { canonicalEmail } from './email.ts';
import type { User } from './schema.ts';

/**
 * Only one user may have the email address, and a value of a unique field. The key of the claim is the value, so that the
 * table itself keeps two users from sharing it.
 */
export type Claim = { field: string; key: Key };

export function listClaims({ email, fields }: Pick<User, 'email' | 'fields'>): Claim[] {
  const own = uniqueFields.flatMap((field) => createClaim(field, showValue(field, fields)) ?? []);
  return [createEmailClaim(email), ...own];
}

/**
 * The claims that were made of a user's stored values under any declaration: a field may have been unique once, or may not
 * be declared any more.
 */
export function listPossibleClaims({ email, fields = {} }: Pick<User, 'email' | 'fields'>): Claim[] {
  const own = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? (createClaim({ name }, value) ?? []) : [],
  );
  return [createEmailClaim(email), ...own];
}

export const createEmailClaim = (email: string): Claim => ({ field: 'email', key: emailKey(canonicalEmail(email)) });

/** Texts are unique in any case. Returns undefined for what nobody can have: a longer text, one that is not Unicode, or none. */
export function createClaim({ name }: Pick<OwnField, 'name'>, value: FieldValue | undefined): Claim | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  // The characters are counted first: to normalize combining marks takes the square of their number.
  if ([...text].length > MAX_LENGTH || !text.isWellFormed()) return undefined;
  const canonical = canonicalText(text);
  return Buffer.byteLength(canonical) > MAX_UNIQUE_BYTES ? undefined : { field: name, key: uniqueKey(name, canonical) };
}

/** Tells whether a claim with this key is one of the user's. */
export const hasClaim = (user: User, { pk }: Key): boolean => listClaims(user).some(({ key }) => key.pk === pk);
