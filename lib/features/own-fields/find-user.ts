import { findOwner } from '../../users/read.ts';
import type { User } from '../../users/schema.ts';
import { createClaim } from './claims.ts';
import type { FieldValue, OwnField } from './declaration.ts';

/** Finds a user by the value of a unique field. Undefined for a value that nobody has. */
export async function findUserByField(field: OwnField, value: FieldValue): Promise<User | undefined> {
  // A text with a pattern is stored as it was sent.
  const isTrimmed = typeof value === 'string' && field.pattern === undefined;
  const claim = createClaim(field, isTrimmed ? value.trim() : value);
  return claim && findOwner(claim);
}
