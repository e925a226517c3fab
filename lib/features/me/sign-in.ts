import type * as z from 'zod/mini';
import { environment, timestamp } from '../../environment.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { parseInput } from '../../input/parsing.ts';
import { createEmailClaim, hasValue } from '../../users/derived.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import { nameClaims, resolveFields, signInField } from '../../users/fields/values.ts';
import { findStoredUser } from '../../users/read.ts';
import { findOwner } from '../../users/unique-values.ts';
import { type NewVersion, nextVersion, type User } from '../../users/user.ts';
import { writeUser } from '../../users/write.ts';
import { requireCompleteClaims } from '../backfill/complete-lists.ts';
import { requireSubjectField } from './fields.ts';
import { createMeInput, type signInInput } from './input.ts';
import { type Person, requireVerifiedEmail, SELF } from './person.ts';
import { countWrite, notDeletedGuard } from './person-item.ts';
import { findMe, requireNotBlocked, requireSameSubject, storeIssuer } from './read.ts';
import { withIdToken } from './second-token.ts';
import { createMe, toSubjects, updateMe } from './write.ts';

export type SignedIn = {
  user: User;
  outcome: 'found' | 'linked' | 'created';
  /** Another user has the token's address, so `emailFollows` keeps the record's address. */
  emailConflict: boolean;
};

/**
 * Finds the person's record, links a waiting record, or creates a record. If calls of a person run in parallel, one
 * links or creates, and the others find. Throws the errors of `createMe`, and BLOCKED, also for a waiting record.
 */
export async function signIn(caller: Person, { idToken, ...input }: z.infer<typeof signInInput>): Promise<SignedIn> {
  const person = await withIdToken(caller, idToken);
  const found = await findMe(person);
  if (found) {
    const followed = await followAddress(person, found.user);
    return { ...followed, user: await recordSignIn(person, followed.user) };
  }
  const email = requireVerifiedEmail(person, input.email);
  const linked = environment.selfLink === 'verified-email' ? await linkWaiting(person, email) : undefined;
  if (linked) return { user: linked, outcome: 'linked', emailConflict: false };
  try {
    const user = await createMe(person, { ...parseInput(createMeInput, input), ...signInTime() });
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

/** Updates the record's address to the token's if `emailFollows` is on. */
async function followAddress(person: Person, user: User): Promise<SignedIn> {
  const { email } = person;
  const kept: SignedIn = { user, outcome: 'found', emailConflict: false };
  if (!environment.emailFollows || email === undefined || hasValue(user, createEmailClaim(email).key)) return kept;
  // Read first, because a failed write counts: repeated sign-ins would reach the limit of writes.
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

/** Gives the subject to the record with this address if it never had one. Undefined if no record waits. Throws BLOCKED. */
async function linkWaiting(person: Person, email: string): Promise<User | undefined> {
  const { subject } = person;
  const field = requireSubjectField();
  const claim = createEmailClaim(email);
  // Reads the stored value: under another declaration, a stored subject may be invalid.
  const isWaiting = (user: User) => hasValue(user, claim.key) && user.fields?.[field.name] === undefined;
  const owner = await findOwner(claim);
  if (!owner || !isWaiting(owner)) return undefined;
  requireNotBlocked(owner);
  await requireCompleteClaims(nameClaims(field));
  await countWrite(subject);
  await storeIssuer(person.issuer);
  const { id } = owner;
  const result = await writeUser({
    // A record that was deleted and brought back may have had a subject before: the deletion record excludes it.
    hasFormerId: true,
    guard: notDeletedGuard(subject),
    async plan(latest, deletion) {
      const before = latest ?? (await findStoredUser(id));
      if (!before || deletion || !isWaiting(before.user)) return undefined;
      requireNotBlocked(before.user);
      return {
        before,
        after: nextVersion(before.user, { id, [field.name]: toSubjects(field, subject), ...signInTime() }, SELF),
      };
    },
  });
  return result.kind === 'written' ? result.change.after : undefined;
}

const signInTime = (): Record<string, string> => (signInField ? { [signInField.name]: timestamp() } : {});

const HOUR_MS = 3_600_000;

/** True for a missing, damaged, old or far future time. */
function isDue({ own }: User, { name }: OwnField): boolean {
  const stored = own[name];
  return typeof stored !== 'string' || Math.abs(environment.now() - Date.parse(stored)) >= HOUR_MS;
}

/**
 * Stores the time of a sign-in at most once an hour, without a new version: no event and no history results. Throws
 * BLOCKED, and SERVICE_UNAVAILABLE if an operator has changed the subject since the read.
 */
async function recordSignIn(person: Person, user: User): Promise<User> {
  const field = signInField;
  if (!field || !isDue(user, field)) return user;
  const result = await writeUser({
    rewrite: { formerFields: [] },
    async plan(latest) {
      const before = latest ?? (await findStoredUser(user.id));
      // The record was deleted since the read.
      if (!before) return undefined;
      requireSameSubject(before.user, person);
      return { before, after: addSignIn(before.user, field) };
    },
  });
  if (result.kind !== 'written' && result.kind !== 'unneeded') throw new Error(`A rewrite cannot be ${result.kind}`);
  return result.change?.after ?? user;
}

/** Adds no time if a parallel sign-in has done so. Skips the size limit of own values, so that a sign-in never fails. */
function addSignIn(user: User, field: OwnField): NewVersion {
  const version = { ...user, by: user.by ?? SELF };
  return isDue(user, field) ? { ...version, ...resolveFields({ ...user.fields, ...signInTime() }) } : version;
}
