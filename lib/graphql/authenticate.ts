import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { GraphQLError, type OperationTypeNode } from 'graphql';
import { type Caller, readCaller, readTokenCaller } from '../auth/caller.ts';
import { requireAuthorizer } from '../auth/required-authorizer.ts';
import { createTokenVerifier, type VerifyToken } from '../auth/tokens.ts';
import { environment } from '../environment.ts';
import { logError } from '../log.ts';
import { httpError } from './errors.ts';

/**
 * Who calls, and what the caller may do: `scopes` is 'all' if the service is open or IAM has authorized the caller. That ends
 * with the token: `expiresAt` is in ms since 1970, and undefined without one.
 */
export type Access = { caller: Caller; scopes: Set<string> | 'all'; expiresAt?: number };

const { readScope, writeScope } = environment;
const SCOPES = { query: readScope, mutation: writeScope, subscription: readScope };

/** Function URLs have no JWT authorizer, so this function verifies tokens itself. */
const verifyToken = createVerifier();

function createVerifier(): VerifyToken | undefined {
  const { authIssuer: issuer, authAudience: audience } = environment;
  if (!issuer && !audience) return undefined;
  if (!issuer || !audience) throw new Error('AUTH_ISSUER and AUTH_AUDIENCE must be set together or not at all');
  return createTokenVerifier({ issuer, audience });
}

/** Throws UNAUTHENTICATED (401) for a missing or invalid token, FORBIDDEN (403) for a request that AWS should have verified, SERVICE_UNAVAILABLE (503) if the issuer's keys cannot be read. */
export async function authenticate(event: APIGatewayProxyEventV2): Promise<Access> {
  if (!verifyToken) {
    requireAuthorizer(event);
    return { caller: readCaller(event), scopes: 'all' };
  }
  const token = await verifyToken(event.headers.authorization).catch(rejectWithoutKeys);
  if (!('challenge' in token)) {
    const { claims, scopes, expiresAt } = token;
    return { caller: readTokenCaller(claims), scopes, expiresAt };
  }
  console.warn({ event: 'token-rejected', reason: token.reason });
  throw accessError(401, 'UNAUTHENTICATED', 'A valid bearer token is required', token.challenge);
}

/** Throws FORBIDDEN (403) if the token lacks the scope for this kind of operation. */
export function requireScope({ scopes }: Access, kind: `${OperationTypeNode}`): void {
  const scope = SCOPES[kind];
  if (scopes === 'all' || scopes.has(scope)) return;
  const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
  throw accessError(403, 'FORBIDDEN', `A ${kind} requires the scope ${scope}`, challenge);
}

/** Function URLs rename WWW-Authenticate, so the challenge is also part of the body. */
function accessError(status: 401 | 403, code: string, message: string, challenge: string): GraphQLError {
  const headers = new Map([['www-authenticate', challenge]]);
  return new GraphQLError(message, { extensions: { code, challenge, http: { status, headers } } });
}

function rejectWithoutKeys(error: Error): never {
  logError(error);
  const headers = { 'retry-after': '1' };
  throw httpError(503, 'SERVICE_UNAVAILABLE', 'Tokens cannot be verified at the moment; please try again', headers);
}
