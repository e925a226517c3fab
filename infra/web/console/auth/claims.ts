import * as z from 'zod/mini';
import { parseJson } from '../store.ts';

const names = z.union([z.string(), z.array(z.string())]);
// The name of the claim that lists groups is a setting.
const claims = z.looseObject({
  sub: z.optional(z.string()),
  exp: z.optional(z.number()),
  iss: z.optional(z.string()),
  scope: z.optional(names),
  scp: z.optional(names),
});

export type Claims = z.infer<typeof claims>;

/** Reads a JWT without verifying it, which is the service's part. Returns undefined for other tokens. */
export function readClaims(token: string): Claims | undefined {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
  try {
    // `atob` returns one character per byte, but names of groups are UTF-8.
    const bytes = Uint8Array.from(atob(payload ?? ''), (character) => character.charCodeAt(0));
    return claims.safeParse(parseJson(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

/** Returns what people call the person of a token: a name, else an address, else an id. Providers put different claims into tokens. */
export const describePerson = (claims: Claims): string | undefined =>
  ['name', 'preferred_username', 'email', 'username', 'sub']
    .map((name) => claims[name])
    .find((value): value is string => typeof value === 'string' && value !== '');
