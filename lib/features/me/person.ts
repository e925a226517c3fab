import { type Claims, isClient } from '../../auth/caller.ts';
import { environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import { canonicalEmail, parseEmail } from '../../users/email.ts';
import { SUBJECT } from '../../users/fields/declaration.ts';

/** The `by` of people who change their own records. */
export const SELF = 'self';

export type Person = {
  subject: string;
  issuer: string;
  /** Undefined unless the issuer has verified the address. */
  email: string | undefined;
  /** Time of the sign-in, in seconds since 1970. NaN if the claim is not a number. */
  signedInAt: number | undefined;
};

/** Throws NO_PERSON for a client's token, or unless the subject is 1 to 255 printable ASCII characters. */
export function parsePerson(claims: Claims): Person {
  const names = environment.personClaims;
  const subject = claims[names.subject];
  if (isClient(claims) || typeof subject !== 'string' || !SUBJECT.test(subject))
    throw new ServiceError('FORBIDDEN', 'The token must belong to a person', { reason: 'NO_PERSON' });
  const { iss, auth_time: signedIn } = claims;
  const [email, verified] = [claims[names.email], claims[names.emailVerified]];
  const isVerified = verified === true || verified === 'true';
  return {
    subject,
    issuer: String(iss),
    email: isVerified && typeof email === 'string' ? parseEmail(email) : undefined,
    signedInAt: signedIn === undefined ? undefined : Number(signedIn),
  };
}

/** Throws EMAIL_NOT_VERIFIED unless the token verifies the requested address `sent`. */
export function requireVerifiedEmail({ email }: Person, sent?: string): string {
  if (email === undefined) throw emailNotVerified('The token must verify the email address of the person');
  if (sent === undefined || canonicalEmail(sent) === canonicalEmail(email)) return email;
  throw emailNotVerified('The token has another email address: no other is accepted');
}

const emailNotVerified = (message: string) =>
  new ServiceError('FORBIDDEN', message, {
    reason: 'EMAIL_NOT_VERIFIED',
    issues: [{ path: ['email'], message }],
  });

const MAX_SIGN_IN_SECONDS = 15 * 60;
/** Tolerance for the issuer's clock. A sign-in further in the future is invalid, such as a time in milliseconds. */
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Throws SIGN_IN_TOO_OLD with the challenge of RFC 9470 section 3. */
export function requireRecentSignIn({ signedInAt }: Person): void {
  if (signedInAt === undefined) return;
  const seconds = environment.now() / 1000 - signedInAt;
  if (seconds >= -MAX_CLOCK_SKEW_SECONDS && seconds <= MAX_SIGN_IN_SECONDS) return;
  throw signInTooOld();
}

export const signInTooOld = () =>
  new ServiceError('FORBIDDEN', 'The person must sign in again', {
    reason: 'SIGN_IN_TOO_OLD',
    challenge: `Bearer error="insufficient_user_authentication", max_age="${MAX_SIGN_IN_SECONDS}"`,
  });
