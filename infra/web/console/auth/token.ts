import * as z from 'zod/mini';
import type { ConsoleSettings } from '../settings.ts';
import { createStore, parseJson, useStore } from '../store.ts';
import { latestToken } from './access-token.ts';

/** The settings say how to sign in. They are loaded before the page is rendered. */
export const authSettings = createStore<ConsoleSettings['auth']>({ kind: 'none' });

const names = z.union([z.string(), z.array(z.string())]);
// The name of the claim that lists groups is a setting.
const claims = z.looseObject({
  exp: z.optional(z.number()),
  iss: z.optional(z.string()),
  scope: z.optional(names),
  scp: z.optional(names),
});

type Claims = z.infer<typeof claims>;

/** Reads a JWT without verifying it, which is the service's part. Returns undefined for other tokens. */
export function readClaims(token: string): Claims | undefined {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
  try {
    return claims.safeParse(parseJson(atob(payload ?? ''))).data;
  } catch {
    return undefined;
  }
}

const listScopes = ({ scope, scp }: Claims): string[] =>
  [scope ?? [], scp ?? []].flat().flatMap((each) => each.split(' '));

/** Says why the service rejects a token, as far as the token tells. */
export function explainRejection(token: string, settings: ConsoleSettings['auth'], now = Date.now()): string {
  const read = readClaims(token);
  if (!read) return 'It is no JWT, or only a part of one.';
  if (read.exp !== undefined && read.exp * 1000 <= now) return `It expired at ${formatExpiry(read.exp)}.`;
  const issuer = settings.kind === 'none' ? undefined : settings.issuer;
  if (issuer && read.iss !== issuer) return `Its issuer is ${read.iss ?? 'not named'}, and not ${issuer}.`;
  if (listScopes(read).filter(Boolean).length === 0) return 'It has no scope.';
  return 'It is for another audience, has another signature, or lacks a scope.';
}

const formatExpiry = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** A token that tells its scopes, and has not this one, does not give the right. */
function hasScope(claims: Claims, scope: string | undefined): boolean {
  const scopes = listScopes(claims).filter(Boolean);
  return !scope || scopes.length === 0 || scopes.includes(scope);
}

/** Who is in no group has no such claim. */
const isMember = (claims: Claims, { claim, name }: { claim: string; name: string }): boolean =>
  [claims[claim]].flat().includes(name);

/** A token that the console cannot read may give every right. */
function canWrite(token: string | undefined, settings: ConsoleSettings['auth']): boolean {
  const claims = token && settings.kind !== 'none' ? readClaims(token) : undefined;
  if (!claims || settings.kind === 'none') return true;
  return hasScope(claims, settings.writeScope) && (!settings.writeGroup || isMember(claims, settings.writeGroup));
}

/** Returns whether the service shows this person the histories of users. */
export function useCanReadHistory(): boolean {
  const token = useStore(latestToken);
  const settings = useStore(authSettings);
  const claims = token && settings.kind !== 'none' ? readClaims(token) : undefined;
  return !claims || settings.kind === 'none' || hasScope(claims, settings.historyScope);
}

/** Returns whether the service lets this person change anything. */
export const useCanWrite = (): boolean => canWrite(useStore(latestToken), useStore(authSettings));

/** What `useCanWrite` tells, for code outside of components. */
export const mayWrite = (): boolean => canWrite(latestToken.get(), authSettings.get());
