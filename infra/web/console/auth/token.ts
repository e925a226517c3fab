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
function readClaims(token: string): Claims | undefined {
  const payload = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/');
  try {
    return claims.safeParse(parseJson(atob(payload ?? ''))).data;
  } catch {
    return undefined;
  }
}

const listScopes = ({ scope, scp }: Claims): string[] =>
  [scope ?? [], scp ?? []].flat().flatMap((each) => each.split(' ').filter(Boolean));

/** Says why the service rejects a token, as far as the token tells. */
export function explainRejection(token: string, settings: ConsoleSettings['auth'], now = Date.now()): string {
  const read = readClaims(token);
  if (!read) return 'It is no JWT, or only a part of one.';
  if (read.exp !== undefined && read.exp * 1000 <= now) return `It expired at ${formatExpiry(read.exp)}.`;
  const issuer = settings.kind === 'none' ? undefined : settings.issuer;
  if (issuer && read.iss !== issuer) return `Its issuer is ${read.iss ?? 'not named'}, and not ${issuer}.`;
  if (listScopes(read).length === 0) return 'It has no scope.';
  return 'It is for another audience, has another signature, or lacks a scope.';
}

const formatExpiry = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** Who is in no group has no such claim. A token that tells no scopes, or that the console cannot read, may give every right. */
function hasRight(right: 'write' | 'history', token: string | undefined, settings: ConsoleSettings['auth']): boolean {
  const claims = token && readClaims(token);
  if (!claims || settings.kind === 'none') return true;
  const { writeScope, writeGroup, historyScope } = settings;
  const scope = right === 'write' ? writeScope : historyScope;
  const scopes = listScopes(claims);
  const isMember = !writeGroup || [claims[writeGroup.claim]].flat().includes(writeGroup.name);
  return (!scope || scopes.length === 0 || scopes.includes(scope)) && (right !== 'write' || isMember);
}

/** Returns whether the service shows this person the histories of users. */
export const useCanReadHistory = (): boolean => hasRight('history', useStore(latestToken), useStore(authSettings));

/** Returns whether the service lets this person change anything. */
export const useCanWrite = (): boolean => hasRight('write', useStore(latestToken), useStore(authSettings));

/** What `useCanWrite` tells, for code outside of components. */
export const mayWrite = (): boolean => hasRight('write', latestToken.get(), authSettings.get());
