import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { GraphQLError } from 'graphql';
import {
  ALL_RIGHTS,
  type Caller,
  type Claims,
  findDenial,
  type Right,
  readCaller,
  readTokenCaller,
  requireAuthorizer,
} from '../auth/caller.ts';
import { loadVerifier } from '../auth/verifier.ts';
import { logError } from '../log.ts';
import { httpError } from './errors.ts';

/**
 * If `claims` is missing, everything is allowed: the service is open, or IAM has authorized the caller. `expiresAt` is
 * Unix time in ms.
 */
export type Access = { caller: Caller; claims?: Claims; expiresAt?: number };

/**
 * The function verifies tokens itself, because a Function URL has no JWT authorizer. A promise, because a top-level await
 * would never end: the imported module waits until this one is loaded.
 */
const verifier = loadVerifier();

/**
 * Throws UNAUTHENTICATED (401), FORBIDDEN (403) if AWS has not verified the request, or SERVICE_UNAVAILABLE (503) if
 * the issuer's keys cannot be loaded.
 */
export async function authenticate(event: APIGatewayProxyEventV2): Promise<Access> {
  if (!verifier) {
    requireAuthorizer(event);
    return { caller: readCaller(event) };
  }
  const { authorization } = event.headers;
  const token = await (await verifier).verify(authorization).catch(rejectWithoutKeys);
  switch (token.kind) {
    case 'verified': {
      const { claims, expiresAt } = token;
      return { caller: readTokenCaller(claims), claims, expiresAt };
    }
    case 'rejected':
      console.warn({ event: 'token-rejected', reason: token.reason });
      throw accessError(401, 'UNAUTHENTICATED', 'A valid bearer token is required', token.challenge);
  }
}

export function requireRights({ claims }: Access, rights: readonly Right[]): void {
  const [denial] = rights.flatMap((right) => (claims && findDenial(claims, right)) ?? []);
  if (denial) throw accessError(403, 'FORBIDDEN', denial.message, denial.challenge);
}

export const listRights = ({ claims }: Access): Right[] =>
  ALL_RIGHTS.filter((right) => !claims || !findDenial(claims, right));

/** Creates an error with the challenge in its body, because Function URLs rename WWW-Authenticate. */
function accessError(status: 401 | 403, code: string, message: string, challenge: string): GraphQLError {
  const headers = new Map([['www-authenticate', challenge]]);
  return new GraphQLError(message, { extensions: { code, challenge, http: { status, headers } } });
}

function rejectWithoutKeys(error: Error): never {
  logError(error);
  const headers = { 'retry-after': '1' };
  throw httpError(503, 'SERVICE_UNAVAILABLE', 'Tokens cannot be verified at the moment; please try again', headers);
}
