import type { ConsoleSettings } from '../settings.ts';
import { createStore, useStore } from '../store.ts';
import { formatExpiry, latestToken, type Rejection } from './access-token.ts';
import { type Claims, readClaims } from './claims.ts';

export const authSettings = createStore<ConsoleSettings['auth']>({ kind: 'none' });

const listScopes = ({ scope, scp }: Claims): string[] =>
  [scope ?? [], scp ?? []].flat().flatMap((each) => each.split(' ').filter(Boolean));

/** Reads the reason for a rejected token (RFC 6750 section 3). Function URLs rename the header. */
export function readDescription(headers: Headers): string | undefined {
  const challenge = headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate') ?? '';
  return /error_description="([^"]+)"/.exec(challenge)?.[1];
}

export function explainRejection(
  token: string,
  settings: ConsoleSettings['auth'],
  description: string | undefined,
  now = Date.now(),
): Rejection {
  const claims = readClaims(token);
  const expiry = (claims?.exp ?? Number.POSITIVE_INFINITY) * 1000;
  if (expiry <= now) return { hasExpired: true, reason: `It expired at ${formatExpiry(expiry)}.` };
  // The service's clock and this device's clock differ: the token has expired only for the service.
  if (/expired/i.test(description ?? ''))
    return { hasExpired: true, reason: 'It has expired by the clock of the service.' };
  return { hasExpired: false, reason: explainInvalid(claims, settings, description) };
}

function explainInvalid(claims: Claims | undefined, settings: ConsoleSettings['auth'], description?: string): string {
  if (!claims) return 'The token is not a JWT, or was cut off.';
  const issuer = settings.kind === 'none' ? undefined : settings.issuer;
  if (issuer && claims.iss !== issuer) return `Its issuer is ${claims.iss ?? 'not named'}, and not ${issuer}.`;
  if (listScopes(claims).length === 0) return 'It has no scope.';
  if (description) return `The service answered: ${description}.`;
  return 'It is for another audience, has another signature, or lacks a scope.';
}

export type Right = 'write' | 'history' | 'erase';

/** A token without scopes, or an opaque one, may have every right. People in no group have no group claim. */
function hasRight(right: Right, token: string | undefined, settings: ConsoleSettings['auth']): boolean {
  const claims = token && readClaims(token);
  if (!claims || settings.kind === 'none') return true;
  const { writeGroup, writeScope, historyScope, eraseScope } = settings;
  const required = { write: [writeScope], history: [historyScope], erase: [writeScope, eraseScope] }[right];
  const scopes = listScopes(claims);
  const isMember = !writeGroup || [claims[writeGroup.claim]].flat().includes(writeGroup.name);
  return (
    (scopes.length === 0 || required.every((scope) => !scope || scopes.includes(scope))) &&
    (right === 'history' || isMember)
  );
}

export const useHasRight = (right: Right): boolean => hasRight(right, useStore(latestToken), useStore(authSettings));

export const useCanReadHistory = (): boolean => useHasRight('history');

export const useCanWrite = (): boolean => useHasRight('write');

export const useCanErase = (): boolean => useHasRight('erase');

/** `useCanWrite` for code outside components. */
export const mayWrite = (): boolean => hasRight('write', latestToken.get(), authSettings.get());
