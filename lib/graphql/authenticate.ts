import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { GraphQLError, type OperationTypeNode } from 'graphql';
import { readCaller } from '../auth/caller.ts';
import { logError } from '../log.ts';
import { createTokenVerifier, type VerifyToken } from '../auth/tokens.ts';

/** Who calls, and what they may do: all of it where the service is open or IAM has let them in. */
export type Access = { caller: string; scopes: Set<string> | 'all' };

const SCOPE = { query: 'users:read', mutation: 'users:write', subscription: 'users:read' } as const;

/** A Function URL knows no JWT authorizer, so the function is its own. */
const verify = verifierOf(process.env);

function verifierOf({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience }: NodeJS.ProcessEnv): VerifyToken | undefined {
  if (!issuer && !audience) return undefined;
  if (!issuer || !audience) throw new Error('AUTH_ISSUER and AUTH_AUDIENCE are set together or not at all');
  return createTokenVerifier({ issuer, audience });
}

/** Throws `UNAUTHENTICATED` (401) without a good token where one is asked for, 503 while its issuer gives no keys. */
export async function authenticate(event: APIGatewayProxyEventV2): Promise<Access> {
  if (!verify) return { caller: readCaller(event), scopes: 'all' };
  const token = await verify(event.headers.authorization).catch(refuseForNow);
  if (!('challenge' in token)) {
    // Where API Gateway's authorizer would have left it, for whoever asks who is calling.
    Object.assign(event.requestContext, { authorizer: { jwt: { claims: token.claims, scopes: [...token.scopes] } } });
    return { caller: readCaller(event), scopes: token.scopes };
  }
  console.warn({ event: 'token-refused', reason: token.reason });
  throw refused(401, 'UNAUTHENTICATED', 'Sign in: a valid bearer token is needed', [
    ['www-authenticate', token.challenge],
  ]);
}

/** Throws `FORBIDDEN` (403) where the token lacks the scope that this kind of operation needs. */
export function requireScope({ scopes }: Access, kind: `${OperationTypeNode}`): void {
  const scope = SCOPE[kind];
  if (scopes === 'all' || scopes.has(scope)) return;
  throw refused(403, 'FORBIDDEN', `A ${kind} needs the scope ${scope}`, [
    ['www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"`],
  ]);
}

function refuseForNow(error: Error): never {
  logError(error);
  throw refused(503, 'SERVICE_UNAVAILABLE', 'Tokens cannot be checked now; please try again', [['retry-after', '1']]);
}

/** Apollo takes status and headers from `extensions.http` and shows the rest. */
const refused = (status: number, code: string, message: string, headers: [string, string][]) =>
  new GraphQLError(message, { extensions: { code, http: { status, headers: new Map(headers) } } });
