import { Buffer } from 'node:buffer';
import { canonicalText } from '../../input/characters.ts';
import type { Claim } from '../../users/derived.ts';
import { type FieldValue, MAX_LENGTH, MAX_UNIQUE_BYTES, type OwnField } from './declaration.ts';
import { type OwnMembers, uniqueFields } from './declared.ts';
import { uniqueKey } from './keys.ts';

/** Each value of a unique field is claimed, so that only one user has it. */
export const listFieldClaims = ({ own }: Pick<OwnMembers, 'own'>): Claim[] =>
  uniqueFields.flatMap((field) => createClaim(field, own[field.name]) ?? []);

/** The claims that were made of stored values under any declaration: a field may have been unique once, or may not be declared any more. */
export const listPossibleFieldClaims = ({ fields = {} }: Pick<OwnMembers, 'fields'>): Claim[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? (createClaim({ name }, value) ?? []) : [],
  );

/** Texts are unique in any case. Returns undefined for what nobody can have: a longer text, one that is not Unicode, or none. */
export function createClaim({ name }: Pick<OwnField, 'name'>, value: FieldValue | undefined): Claim | undefined {
  if (value === undefined) return undefined;
  const text = String(value);
  // The characters are counted first: to normalize combining marks takes the square of their number.
  if ([...text].length > MAX_LENGTH || !text.isWellFormed()) return undefined;
  const canonical = canonicalText(text);
  return Buffer.byteLength(canonical) > MAX_UNIQUE_BYTES
    ? undefined
    : { claimOf: name, key: uniqueKey(name, canonical) };
}
