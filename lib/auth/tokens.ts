import { JwtBaseError, JwtWithoutValidKidError, KidNotFoundInJwksError } from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';
import { JwtVerifier } from 'aws-jwt-verify/jwt-verifier';
import { environment } from '../environment.ts';
import { type Claims, readBearerToken } from './caller.ts';
import { createKeyFinder, IssuerError } from './issuer.ts';

/** `audience` is one or several, separated by commas. */
export type TokenSettings = { issuer: string; audience: string };
/** `expiresAt` is in ms since 1970. */
export type Token = { claims: Claims; expiresAt: number };

/** `reason` is logged; `challenge` is the WWW-Authenticate header of the response. */
export type RejectedToken = { reason: string; challenge: string };
export type VerifyToken = (authorization: string | undefined) => Promise<Token | RejectedToken>;

/**
 * Verifies `Authorization: Bearer <JWT>` by the rules of API Gateway's JWT authorizer, so that both APIs accept the same
 * tokens: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html. Keys are fetched for
 * the first token and again for an unknown key id, but not within 10 s of an earlier one, even if the issuer fails.
 * Throws an IssuerError if the issuer provides no keys.
 */
export function createTokenVerifier({ issuer, audience }: TokenSettings): VerifyToken {
  const jwksCache = createJwksCache(issuer);
  const settings = { issuer, audience: null, jwksUri: issuer, customJwtCheck: createJwtCheck(audience.split(',')) };
  return async (authorization) => {
    const jwt = readBearerToken(authorization);
    if (!jwt) return { reason: 'No bearer token', challenge: 'Bearer' };
    try {
      // A verifier keeps the keys that it has used, so each one verifies one token.
      const claims = await JwtVerifier.create(settings, { jwksCache }).verify(jwt);
      // createJwtCheck requires `exp`.
      return { claims, expiresAt: Number(claims.exp) * 1000 };
    } catch (error) {
      if (error instanceof IssuerError) throw error;
      return rejectToken(error);
    }
  };
}

/** The verifier needs no more of a cache than a method that finds the key of a token. */
function createJwksCache(issuer: string): SimpleJwksCache {
  const findKey = createKeyFinder(issuer);
  return Object.assign(new SimpleJwksCache(), {
    async getJwk(_: string, { header: { kid } }: { header: { kid?: string } }) {
      if (!kid) throw new JwtWithoutValidKidError('The token has no kid');
      const key = await findKey(kid);
      if (!key) throw new KidNotFoundInJwksError(`Key not found: ${kid}`);
      return key;
    },
  });
}

class InvalidToken extends JwtBaseError {}

type Verified = { header: { alg?: string; crit?: unknown }; payload: Claims & { exp?: number; iat?: number } };

/** API Gateway checks more than the library: RSA, exp, iat in the past, and the audience in aud or client_id. */
const createJwtCheck =
  (audiences: string[]) =>
  ({ header: { alg, crit }, payload: { exp, iat = 0, aud, client_id } }: Verified): void => {
    if (!alg?.startsWith('RS')) throw new InvalidToken(`Algorithm not allowed: ${alg}`);
    // RFC 7515 section 4.1.11: no critical extensions are supported.
    if (crit !== undefined) throw new InvalidToken('Critical extensions are not supported');
    if (exp === undefined) throw new InvalidToken('Token does not expire');
    if (iat > environment.now() / 1000) throw new InvalidToken('Token is issued in the future');
    if (![aud ?? client_id].flat().some((each) => audiences.includes(String(each))))
      throw new InvalidToken('Audience not allowed');
  };

/**
 * The challenge may contain text from the client, so it is limited to the characters of RFC 6750 section 3. It is
 * left out of the log, as it can be an address: in every message it follows a colon.
 */
function rejectToken(error: unknown): RejectedToken {
  // The crypto module throws other errors for a key that does not fit the algorithm of the token.
  const message = error instanceof JwtBaseError ? error.message : 'The key of the issuer does not fit the token';
  const description = message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '').slice(0, 200);
  return {
    reason: message.split(':')[0] ?? '',
    challenge: `Bearer error="invalid_token", error_description="${description}"`,
  };
}
