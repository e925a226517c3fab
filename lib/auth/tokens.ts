import { FetchError, JwksValidationError, JwkValidationError, JwtBaseError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import { discoverJwksUri, issuerFetcher } from './issuer.ts';

export type TokenSettings = { issuer: string; audience: string };
export type Claims = Record<string, unknown>;
export type Token = { claims: Claims; scopes: Set<string> };

/** Why a token is not taken, and the WWW-Authenticate that answers it. */
export type Refusal = { reason: string; challenge: string };
export type VerifyToken = (authorization: string | undefined) => Promise<Token | Refusal>;

/** API Gateway keeps keys as long: one that its issuer withdraws is refused by then at both doors. */
const KEYS_LAST = 2 * 60 * 60 * 1000;

/**
 * Checks `Authorization: Bearer <JWT>` by the rules of API Gateway's JWT authorizer, so that a token opens all doors or
 * none: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html. Keys are fetched with
 * the first token and again for a key id they lack, then not for 10 s. Throws where the issuer gives no keys.
 */
export function createTokenVerifier({ issuer, audience }: TokenSettings): VerifyToken {
  const loadVerifier = memoizeWithTtl(KEYS_LAST, async () => {
    const jwksCache = new SimpleJwksCache({ fetcher: issuerFetcher });
    const settings = {
      issuer,
      audience: null,
      jwksUri: await discoverJwksUri(issuer),
      customJwtCheck: checkFor(audience),
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

/** What API Gateway asks beyond the library: RSA, an end, a start that is past, and the audience in either claim. */
const checkFor =
  (audience: string) =>
  ({ header: { alg, crit }, payload: { exp, iat = 0, aud, client_id } }: Verified): void => {
    if (!alg?.startsWith('RS')) throw new InvalidToken(`Algorithm not allowed: ${alg}`);
    // RFC 7515 4.1.11: extensions that must be understood, and none is.
    if (crit !== undefined) throw new InvalidToken('Critical extensions are not understood');
    if (exp === undefined) throw new InvalidToken('Token does not expire');
    if (iat > Date.now() / 1000) throw new InvalidToken('Token is issued in the future');
    if (![aud ?? client_id].flat().includes(audience)) throw new InvalidToken('Audience not allowed');
  };

/** `scope` is one string (RFC 8693 4.2); the `scp` of Okta and Entra is a list or a string. */
function readScopes({ scope, scp }: Claims): Set<string> {
  const names = [scope, scp].flat().filter((names) => typeof names === 'string');
  return new Set(names.flatMap((names) => names.split(' ')).filter(Boolean));
}

/** What keeps a good token from being told from a bad one. */
const isIssuerError = (error: unknown) =>
  !(error instanceof JwtBaseError) ||
  [FetchError, JwksValidationError, JwkValidationError].some((type) => error instanceof type);

/** The reason in the characters that RFC 6750 3 lets a challenge hold: part of it is the client's own text. */
function rejectToken({ message }: Error): Refusal {
  const reason = message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '').slice(0, 200);
  return { reason, challenge: `Bearer error="invalid_token", error_description="${reason}"` };
}

/** One value for all who ask, made anew when its time (ms) is over or when making it failed. */
function memoizeWithTtl<Value>(lifetime: number, make: () => Promise<Value>): () => Promise<Value> {
  let made: { value: Promise<Value>; end: number } | undefined;
  return () => {
    if (made && Date.now() < made.end) return made.value;
    const making = { value: make(), end: Date.now() + lifetime };
    making.value.catch(() => {
      if (made === making) made = undefined;
    });
    made = making;
    return making.value;
  };
}
