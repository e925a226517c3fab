import { JwtBaseError, JwtWithoutValidKidError, KidNotFoundInJwksError } from 'aws-jwt-verify/error';
import type { JwkWithKid } from 'aws-jwt-verify/jwk';
import { verifyJwt } from 'aws-jwt-verify/jwt-verifier';
import { environment } from '../environment.ts';
import { type Claims, readBearerToken } from './caller.ts';
import { IssuerError, IssuerKeys } from './issuer.ts';

export type TokenSettings = { issuer: string; audience: string };

type TokenResult =
  /** `expiresAt`: Unix time in ms. */
  { kind: 'verified'; claims: Claims; expiresAt: number } | { kind: 'rejected'; reason: string; challenge: string };

/**
 * Follows API Gateway's JWT authorizer, so that both APIs accept the same tokens:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
 */
export class TokenVerifier {
  readonly #issuer: string;
  readonly #audiences: string[];
  readonly #keys: IssuerKeys;

  constructor({ issuer, audience }: TokenSettings) {
    this.#issuer = issuer;
    this.#audiences = audience.split(',');
    this.#keys = new IssuerKeys(issuer);
  }

  async verify(authorization: string | undefined): Promise<TokenResult> {
    const jwt = readBearerToken(authorization);
    if (!jwt) return { kind: 'rejected', reason: 'No bearer token', challenge: 'Bearer' };
    const options = {
      issuer: this.#issuer,
      // checkToken checks the audience, in `aud` or `client_id`.
      audience: null,
      customJwtCheck: (token: DecodedToken) => checkToken(token, this.#audiences),
    };
    try {
      const claims = await verifyJwt(jwt, this.#issuer, options, (_, { header }) => this.#findKey(header.kid));
      // checkToken requires `exp`.
      return { kind: 'verified', claims, expiresAt: Number(claims.exp) * 1000 };
    } catch (error) {
      if (error instanceof IssuerError) throw error;
      return rejectToken(error);
    }
  }

  async #findKey(kid: string | undefined): Promise<JwkWithKid> {
    if (!kid) throw new JwtWithoutValidKidError('The token has no kid');
    const key = await this.#keys.find(kid);
    if (!key) throw new KidNotFoundInJwksError(`Key not found: ${kid}`);
    return key;
  }
}

class InvalidToken extends JwtBaseError {}

type DecodedToken = { header: { alg?: string; crit?: unknown }; payload: Claims & { exp?: number; iat?: number } };

/** API Gateway makes these checks, but aws-jwt-verify does not. */
function checkToken({ header: { alg, crit }, payload }: DecodedToken, audiences: string[]): void {
  const { exp, iat = 0, aud, client_id } = payload;
  if (!alg?.startsWith('RS')) throw new InvalidToken(`Algorithm not allowed: ${alg}`);
  // RFC 7515 section 4.1.11.
  if (crit !== undefined) throw new InvalidToken('Critical extensions are not supported');
  if (exp === undefined) throw new InvalidToken('Token does not expire');
  if (iat > environment.now() / 1000) throw new InvalidToken('Token is issued in the future');
  if (![aud ?? client_id].flat().some((each) => audiences.includes(String(each))))
    throw new InvalidToken('Audience not allowed');
}

/**
 * An error message can end with a colon and text from the token. The log omits this text: it can be an email address.
 * The challenge drops characters that RFC 6750 section 3 does not allow.
 */
function rejectToken(error: unknown): TokenResult {
  const message = error instanceof JwtBaseError ? error.message : 'The key of the issuer does not fit the token';
  const description = message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '').slice(0, 200);
  return {
    kind: 'rejected',
    reason: message.split(':')[0] ?? '',
    challenge: `Bearer error="invalid_token", error_description="${description}"`,
  };
}
