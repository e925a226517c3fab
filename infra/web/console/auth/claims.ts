import * as z from 'zod/mini';
import { parseJson } from '../store.ts';

const names = z.union([z.string(), z.array(z.string())]);
// Loose, because the claim that lists groups has a configurable name.
const claims = z.looseObject({
  sub: z.optional(z.string()),
  exp: z.optional(z.number()),
  iss: z.optional(z.string()),
  scope: z.optional(names),
  scp: z.optional(names),
});

export type Claims = z.infer<typeof claims>;

/** Does not verify the JWT. Undefined for other tokens. */
export function readClaims(token: string): Claims | undefined {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
  try {
    // `atob` returns one character per byte, but group names are UTF-8.
    const bytes = Uint8Array.from(atob(payload ?? ''), (character) => character.charCodeAt(0));
    return claims.safeParse(parseJson(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

export const describePerson = (claims: Claims): string | undefined =>
  ['name', 'preferred_username', 'email', 'username', 'sub']
    .map((name) => claims[name])
    .find((value): value is string => typeof value === 'string' && value !== '');
