import { type Claims, createTokenVerifier, type TokenSettings } from '../../lib/auth/tokens.ts';

export type Authorization = { authorizer?: { jwt: { claims: Record<string, string>; scopes: string[] } } };
export type Rejection = { status: 401 | 403 | 503; message: string; headers: Record<string, string> };

/** Checks whether a request may use a route that requires the scope. Returns the authorizer part of its event. */
export type Authorize = (
  headers: Record<string, string | undefined>,
  scope: string,
) => Promise<Authorization | Rejection>;

export const allowAll: Authorize = async () => ({});

/** Behaves like API Gateway's JWT authorizer in a stack with auth=jwt. */
export function createAuthorizer(settings: TokenSettings): Authorize {
  const verify = createTokenVerifier(settings);
  return async ({ authorization }, scope) => {
    const token = await verify(authorization).catch((error: Error) => {
      console.error(`Tokens cannot be verified: ${error.message}`);
    });
    if (!token) return { status: 503, message: 'Service Unavailable', headers: {} };
    if ('challenge' in token)
      return { status: 401, message: 'Unauthorized', headers: { 'www-authenticate': token.challenge } };
    const { claims, scopes } = token;
    if (scopes.has(scope)) return { authorizer: { jwt: { claims: stringifyClaims(claims), scopes: [...scopes] } } };
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
    return { status: 403, message: 'Forbidden', headers: { 'www-authenticate': challenge } };
  };
}

/** In events every claim is a string; lists are written `[one two]`. */
function stringifyClaims(claims: Claims): Record<string, string> {
  const stringify = (claim: unknown): string => {
    if (Array.isArray(claim)) return `[${claim.map(stringify).join(' ')}]`;
    return typeof claim === 'string' ? claim : JSON.stringify(claim);
  };
  return Object.fromEntries(Object.entries(claims).map(([name, claim]) => [name, stringify(claim)]));
}
