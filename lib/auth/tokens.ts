import { FetchError, JwksValidationError, JwkValidationError, JwtBaseError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import { discoverJwksUri, issuerFetcher } from './issuer.ts';

export type TokenSettings = { issuer: string; audience: string };
export type Claims = Record<string, unknown>;
export type Token = { claims: Claims; scopes: Set<string> };

/** Why a token was rejected, and the WWW-Authenticate header of the response. */
export type RejectedToken = { reason: string; challenge: string };
export type VerifyToken = (authorization: string | undefined) => Promise<Token | RejectedToken>;

/** API Gateway caches keys equally long, so both APIs reject a withdrawn key after this time. */
const KEY_CACHE_TTL_MS = 2 * 60 * 60 * 1000;

/**
 * Verifies `Authorization: Bearer <JWT>` by the rules of API Gateway's JWT authorizer, so that both APIs accept the same
 * tokens: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html. Keys are fetched for
 * the first token and again for an unknown key id, but not within 10 s. Throws if the issuer provides no keys.
 */
export function createTokenVerifier({ issuer, audience }: TokenSettings): VerifyToken {
  const loadVerifier = memoizeWithTtl(KEY_CACHE_TTL_MS, async () => {
    const jwksCache = new SimpleJwksCache({ fetcher: issuerFetcher });
    const settings = {
      issuer,
      audience: null,
      jwksUri: await discoverJwksUri(issuer),
      customJwtCheck: createJwtCheck(audience),
    };
    const verifier = JwtVerifier.create(settings, { jwksCache });
    await verifier.hydrate();
    return verifier;
  });
  return async (authorization = '') => {
    const jwt = /^(?:Bearer +)?([^\s,]+)$/i.exec(authorization)?.[1];
    if (!jwt) return { reason: 'No bearer token', challenge: 'Bearer' };
    const verifier = await loadVerifier();
    try {
      const claims = await verifier.verify(jwt);
      return { claims, scopes: readScopes(claims) };
    } catch (error) {
      if (isIssuerError(error)) throw error;
      return rejectToken(error as Error);
    }
  };
}

class InvalidToken extends JwtBaseError {}

type Verified = { header: { alg?: string; crit?: unknown }; payload: Claims & { exp?: number; iat?: number } };

/** What API Gateway checks beyond the library: RSA, exp, iat in the past, and the audience in aud or client_id. */
const createJwtCheck =
  (audience: string) =>
  ({ header: { alg, crit }, payload: { exp, iat = 0, aud, client_id } }: Verified): void => {
    if (!alg?.startsWith('RS')) throw new InvalidToken(`Algorithm not allowed: ${alg}`);
    // RFC 7515 section 4.1.11: no critical extensions are supported.
    if (crit !== undefined) throw new InvalidToken('Critical extensions are not supported');
    if (exp === undefined) throw new InvalidToken('Token does not expire');
    if (iat > Date.now() / 1000) throw new InvalidToken('Token is issued in the future');
    if (![aud ?? client_id].flat().includes(audience)) throw new InvalidToken('Audience not allowed');
  };

/** `scope` is a string (RFC 8693 section 4.2); `scp` of Okta and Entra is a list or a string. */
function readScopes({ scope, scp }: Claims): Set<string> {
  const names = [scope, scp].flat().filter((names) => typeof names === 'string');
  return new Set(names.flatMap((names) => names.split(' ')).filter(Boolean));
}

/** Errors that say nothing about the token. */
const isIssuerError = (error: unknown) =>
  !(error instanceof JwtBaseError) ||
  [FetchError, JwksValidationError, JwkValidationError].some((type) => error instanceof type);

/** The reason may contain text from the client, so it is limited to the characters of RFC 6750 section 3. */
function rejectToken({ message }: Error): RejectedToken {
  const reason = message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '').slice(0, 200);
  return { reason, challenge: `Bearer error="invalid_token", error_description="${reason}"` };
}

/** Caches the value of `create` for `ttl` ms. Errors are not cached. */
function memoizeWithTtl<Value>(ttl: number, create: () => Promise<Value>): () => Promise<Value> {
  let cached: { value: Promise<Value>; expiresAt: number } | undefined;
  return () => {
    if (cached && Date.now() < cached.expiresAt) return cached.value;
    const entry = { value: create(), expiresAt: Date.now() + ttl };
    entry.value.catch(() => {
      if (cached === entry) cached = undefined;
    });
    cached = entry;
    return entry.value;
  };
}
