import { environment } from '../environment.ts';
import type { TokenVerifier } from './tokens.ts';

let verifier: Promise<TokenVerifier> | undefined;

/** Shared by a process, because the verifier caches the issuer's keys. Undefined if the function verifies no tokens. */
export function loadVerifier(): Promise<TokenVerifier> | undefined {
  const { authIssuer: issuer, authAudience: audience } = environment;
  if (!issuer && !audience) return undefined;
  if (!issuer || !audience) throw new Error('AUTH_ISSUER and AUTH_AUDIENCE must be set together or not at all');
  verifier ??= import('./tokens.ts').then(({ TokenVerifier }) => new TokenVerifier({ issuer, audience }));
  return verifier;
}
