import type * as z from 'zod/mini';
import { environment } from '../../environment.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { parseInput } from '../../input/parsing.ts';
import { createEmailClaim, hasValue } from '../../users/derived.ts';
import { nameClaims } from '../../users/fields/values.ts';
import { findStoredUser } from '../../users/read.ts';
import { findOwner } from '../../users/unique-values.ts';
import { nextVersion, type User } from '../../users/user.ts';
import { writeUser } from '../../users/write.ts';
import { requireCompleteClaims } from '../backfill/complete-lists.ts';
import { requireSubjectField } from './fields.ts';
import { createMeInput, type signInInput } from './input.ts';
import { type Person, requireVerifiedEmail } from './person.ts';
import { countWrite, notDeletedCheck } from './person-item.ts';
import { findMe, storeIssuer } from './read.ts';
import { withIdToken } from './second-token.ts';
import { createMe, SELF, subjectDeleted, toSubjects, updateMe } from './write.ts';

export type SignedIn = {
  user: User;
  outcome: 'found' | 'linked' | 'created';
  /** With `emailFollows`: another user has the token's address, so the record keeps its own. */
  emailConflict: boolean;
};

/**
 * Finds the person's record, links a waiting record, or creates a record. If calls of a person run in parallel, one
 * links or creates, and the others find. Throws the errors of `createMe`.
 */
export async function signIn(caller: Person, { idToken, ...input }: z.infer<typeof signInInput>): Promise<SignedIn> {
  const person = await withIdToken(caller, idToken);
  const found = await findMe(person);
  if (found) return followAddress(person, found.user);
  const email = requireVerifiedEmail(person, input.email);
  const linked = environment.selfLink === 'verified-email' ? await linkWaiting(person, email) : undefined;
  if (linked) return { user: linked, outcome: 'linked', emailConflict: false };
  try {
    const user = await createMe(person, parseInput(createMeInput, input));
    return { user, outcome: 'created', emailConflict: false };
  } catch (error) {
    // A parallel call of the person, or an operator, may have been faster.
    const user = error instanceof ServiceError ? (await findMe(person))?.user : undefined;
    if (user) return { user, outcome: 'found', emailConflict: false };
    throw error;
  }
}

const hasReason = (error: unknown, reason: string): boolean =>
  error instanceof ServiceError && (error.reason ?? error.code) === reason;

/** With `emailFollows`, updates the record's address to the token's. */
async function followAddress(person: Person, user: User): Promise<SignedIn> {
  const { email } = person;
  const kept: SignedIn = { user, outcome: 'found', emailConflict: false };
  if (!environment.emailFollows || email === undefined || hasValue(user, createEmailClaim(email).key)) return kept;
  // A read first: a person whose address stays taken would otherwise reach the limit of writes by signing in.
  const owner = await findOwner(createEmailClaim(email));
  if (owner && owner.id !== user.id) return { ...kept, emailConflict: true };
  try {
    return { ...kept, user: await updateMe(person, { email }, {}) };
  } catch (error) {
    if (hasReason(error, 'EMAIL_TAKEN')) return { ...kept, emailConflict: true };
    // The record was deleted since the read.
    throw hasReason(error, 'NOT_FOUND') ? unavailable() : error;
  }
}

/** Gives the subject to the record with this address if it never had one. Undefined if no record waits. */
async function linkWaiting(person: Person, email: string): Promise<User | undefined> {
  const { subject } = person;
  const field = requireSubjectField();
  const claim = createEmailClaim(email);
  // Reads the stored value: under another declaration, a stored subject may be invalid.
  const isWaiting = (user: User) => hasValue(user, claim.key) && user.fields?.[field.name] === undefined;
  const owner = await findOwner(claim);
  if (!owner || !isWaiting(owner)) return undefined;
  await requireCompleteClaims(nameClaims(field));
  await countWrite(subject);
  await storeIssuer(person.issuer);
  const { id } = owner;
  const result = await writeUser({
    // A record that was deleted and brought back may have had a subject before: the deletion record excludes it.
    hasFormerId: true,
    guard: { item: notDeletedCheck(subject), error: subjectDeleted },
    async plan(latest, deletion) {
      const before = latest ?? (await findStoredUser(id));
      if (!before || deletion || !isWaiting(before.user)) return undefined;
      return { before, after: nextVersion(before.user, { id, [field.name]: toSubjects(field, subject) }, SELF) };
    },
  });
  return result.kind === 'written' ? result.change.after : undefined;
}
