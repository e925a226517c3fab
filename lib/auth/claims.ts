export type Claims = Record<string, unknown>;

/** Returns the token of an Authorization header. Repeated headers arrive in one, joined by commas, which no token contains. */
export const readBearerToken = (authorization = ''): string | undefined =>
  /^(?:Bearer +)?([^\s,]+)$/i.exec(authorization)?.[1];

/** `scope` is a string (RFC 8693 section 4.2); `scp` of Okta and Entra is a list or a string. */
export function readScopes({ scope, scp }: Claims): Set<string> {
  const names = [scope, scp].flat().filter((names) => typeof names === 'string');
  return new Set(names.flatMap((names) => names.split(' ')).filter(Boolean));
}

/** A list, or the name of one group, which may contain spaces. */
export const readGroups = (claims: Claims, claim: string): unknown[] => [claims[claim] ?? []].flat();

/**
 * Reads the claims of a token that the gateway has verified. Those in its event are texts, in which a list of two groups looks
 * like one group with a space in its name.
 */
export function decodeVerifiedClaims(authorization: string | undefined): Claims {
  const payload = readBearerToken(authorization)?.split('.')[1] ?? '';
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}
