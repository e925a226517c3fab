import * as z from 'zod/mini';
import type { ConsoleSettings } from '../settings.ts';
import { createStore, parseJson, useStore } from '../store.ts';
import { accessToken } from './access-token.ts';

/** The settings say how to sign in. They are loaded before the page is rendered. */
export const authSettings = createStore<ConsoleSettings['auth']>({ kind: 'none' });

const names = z.union([z.string(), z.array(z.string())]);
const claims = z.object({
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

/** A token that tells its scopes, and has not the one for writing, can only read. */
function canWrite(token: string | undefined, settings: ConsoleSettings['auth']): boolean {
  if (settings.kind === 'none' || !token || !settings.writeScope) return true;
  const scopes = listScopes(readClaims(token) ?? {}).filter(Boolean);
  return scopes.length === 0 || scopes.includes(settings.writeScope);
}

/** Returns whether the service lets this person change anything. */
export const useCanWrite = (): boolean => canWrite(useStore(accessToken), useStore(authSettings));

/** What `useCanWrite` tells, for code outside of components. */
export const mayWrite = (): boolean => canWrite(accessToken.get(), authSettings.get());
