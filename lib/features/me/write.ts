import type * as z from 'zod/mini';
import { ServiceError, valueTaken } from '../../errors.ts';
import type { FieldValue, OwnField } from '../../users/fields/declaration.ts';
import { type MergeOption, nameClaims } from '../../users/fields/values.ts';
import type { Conditions } from '../../users/read.ts';
import { newUser, nextVersion, type User } from '../../users/user.ts';
import { updateUser, writeUser } from '../../users/write.ts';
import { requireCompleteClaims } from '../backfill/complete-lists.ts';
import { requireSubjectField } from './fields.ts';
import type { createMeInput, updateMeInput } from './input.ts';
import { type Person, requireVerifiedEmail, SELF } from './person.ts';
import { countWrite, notDeletedGuard } from './person-item.ts';
import { findCounter, findMe, requireMe, requireSameSubject, storeIssuer } from './read.ts';
import { withIdToken } from './second-token.ts';

/**
 * Creates the person's record. If calls for a person run in parallel, one succeeds. Throws CONFLICT with SUBJECT_TAKEN,
 * EMAIL_TAKEN, VALUE_TAKEN, or SUBJECT_DELETED within 24 hours of a deletion. Throws BAD_USER_INPUT for an unsuitable ID
 * token, and SERVICE_UNAVAILABLE while subject claims may be missing.
 */
export async function createMe(
  caller: Person,
  { email: sent, idToken, ...input }: z.infer<typeof createMeInput>,
): Promise<User> {
  const field = requireSubjectField();
  const person = await withIdToken(caller, idToken);
  const email = requireVerifiedEmail(person, sent);
  if (await findMe(person)) throw hasRecord();
  await requireCompleteClaims(nameClaims(field));
  await countWrite(person.subject);
  await storeIssuer(person.issuer);
  const whole = { ...input, email, [field.name]: toSubjects(field, person.subject) };
  const result = await writeUser({
    plan: () => ({ after: newUser(whole, SELF) }),
    guard: notDeletedGuard(person.subject),
  });
  switch (result.kind) {
    case 'written':
      return result.change.after as User; // A creation always returns the user.
    case 'taken':
      throw result.field === field.name ? hasRecord() : valueTaken(result.field);
    default:
      throw new Error(`createMe wrote no user: ${result.kind}`);
  }
}

/** Returns the value of the field for a person with one login. */
export const toSubjects = ({ list }: OwnField, subject: string): FieldValue => (list ? [subject] : subject);

export const hasRecord = () =>
  new ServiceError('CONFLICT', 'The person already has a record', { reason: 'SUBJECT_TAKEN' });

/**
 * Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT for a taken value, FORBIDDEN for an address that no token verifies, and
 * BAD_USER_INPUT for an unsuitable ID token.
 */
export async function updateMe(
  caller: Person,
  { email: sent, idToken, ...input }: z.infer<typeof updateMeInput>,
  { mergesJson, ...conditions }: Conditions & MergeOption,
): Promise<User> {
  const person = await withIdToken(caller, idToken);
  const verified = sent === undefined ? undefined : requireVerifiedEmail(person, sent);
  const current = await requireMe(person);
  const { id, email: stored } = current.user;
  // The token may spell the stored address in another case. A person who sends it as shown changes nothing.
  const email = sent === stored ? undefined : verified;
  const changes = { ...input, email, id, mergesJson, ...conditions };
  const { version } = nextVersion(current.user, changes, SELF);
  // Failed writes count, because a conflict reveals values of other users.
  if (version !== current.user.version) await countWrite(findCounter(current.user, person));
  return updateUser(changes, SELF, { current, check: (user) => requireSameSubject(user, person) });
}
