import { type Claims, findDenial } from '../../auth/caller.ts';
import { loadVerifier } from '../../auth/verifier.ts';
import { environment } from '../../environment.ts';
import { invalidInput, ServiceError } from '../../errors.ts';
import { logError } from '../../log.ts';
import { type Person, parsePerson } from './person.ts';

// A second token proves another login, or the address of the person. Nothing logs or stores it.

/**
 * Returns the person that the access token of another login belongs to. Throws BAD_USER_INPUT for a token that would not
 * be accepted as a bearer token, or is too old, and SERVICE_UNAVAILABLE.
 */
export async function verifyLogin(token: string): Promise<Person> {
  const path = ['token'];
  const claims = await verify(token, path);
  const denial = findDenial(claims, 'self');
  if (denial) throw invalidInput(path, `must allow the use of own records. ${denial.message}`);
  return parseOwner(claims, path);
}

/**
 * Returns the person with the verified address of the ID token, if it has one. Throws BAD_USER_INPUT unless the ID token
 * is recent and belongs to the person, and SERVICE_UNAVAILABLE.
 */
export async function withIdToken(person: Person, idToken: string | undefined): Promise<Person> {
  if (idToken === undefined) return person;
  const path = ['idToken'];
  const { subject, issuer, email } = parseOwner(await verify(idToken, path), path);
  if (subject !== person.subject || issuer !== person.issuer)
    throw invalidInput(path, 'must belong to the person of the access token');
  return { ...person, email: email ?? person.email };
}

async function verify(token: string, path: string[]): Promise<Claims> {
  const verifier = await loadVerifier();
  if (!verifier) throw new Error('Own records need AUTH_ISSUER and AUTH_AUDIENCE');
  const result = await verifier.verify(token).catch((error: Error) => {
    logError(error);
    throw new ServiceError('SERVICE_UNAVAILABLE', 'Tokens cannot be verified at the moment; please try again');
  });
  if (result.kind === 'rejected') {
    console.warn({ event: 'token-rejected', member: path.join('.'), reason: result.reason });
    throw invalidInput(path, 'must be a valid token of the same issuer and audience');
  }
  requireRecent(result.claims, path);
  return result.claims;
}

const MAX_AGE_SECONDS = 5 * 60;

/** The verifier has rejected a time of issue in the future. */
function requireRecent({ iat, auth_time }: Claims, path: string[]): void {
  const age = environment.now() / 1000 - Number(iat ?? auth_time);
  if (!(age >= 0 && age <= MAX_AGE_SECONDS))
    throw invalidInput(path, 'must be at most 5 minutes old. Sign in again, or refresh the token');
}

function parseOwner(claims: Claims, path: string[]): Person {
  try {
    return parsePerson(claims);
  } catch (error) {
    if (error instanceof ServiceError) throw invalidInput(path, 'must belong to a person');
    throw error;
  }
}
