import type { IncomingHttpHeaders } from 'node:http';
import { type Claims, createTokenVerifier, type TokenSettings } from '../../lib/auth/tokens.ts';

export type Authorization = { authorizer?: { jwt: { claims: Record<string, string>; scopes: string[] } } };
export type Refused = { status: 401 | 403 | 503; message: string; headers: Record<string, string> };

/** Whether a request may take a route that needs the scope: what its event then says of the caller, or the refusal. */
export type Authorize = (headers: IncomingHttpHeaders, scope: string) => Promise<Authorization | Refused>;

export const allowAll: Authorize = async () => ({});

/** API Gateway's JWT authorizer, as its routes have it when deployed with `-c auth=jwt`. */
export function createAuthorizer(settings: TokenSettings): Authorize {
  const verify = createTokenVerifier(settings);
  return async ({ authorization }, scope) => {
    const token = await verify(authorization).catch((error: Error) => {
      console.error(`Tokens cannot be checked: ${error.message}`);
    });
    if (!token) return { status: 503, message: 'Service Unavailable', headers: {} };
    if ('challenge' in token)
      return { status: 401, message: 'Unauthorized', headers: { 'www-authenticate': token.challenge } };
    const { claims, scopes } = token;
    if (scopes.has(scope)) return { authorizer: { jwt: { claims: asText(claims), scopes: [...scopes] } } };
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    return { status: 403, message: 'Forbidden', headers: { 'www-authenticate': challenge } };
  };
}

/** Events hold every claim as a string, lists as `[one two]`. */
function asText(claims: Claims): Record<string, string> {
  const text = (claim: unknown): string => {
    if (Array.isArray(claim)) return `[${claim.map(text).join(' ')}]`;
    return typeof claim === 'string' ? claim : JSON.stringify(claim);
  };
  return Object.fromEntries(Object.entries(claims).map(([name, claim]) => [name, text(claim)]));
}
