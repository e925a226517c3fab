import { afterEach, beforeEach, vi } from 'vitest';
import { TokenVerifier } from '../../../lib/auth/tokens.ts';
import { AUDIENCE, type Issuer, startIssuer } from './issuer.ts';

export const DISCOVERY = '/.well-known/openid-configuration';

export let issuer: Issuer;
export let verify: (token: string) => Promise<boolean>;

export function renewIssuer(): void {
  beforeEach(async () => {
    issuer = await startIssuer();
    const verifier = new TokenVerifier({ issuer: issuer.url, audience: AUDIENCE });
    verify = async (token) => (await verifier.verify(`Bearer ${token}`)).kind === 'verified';
  });
  afterEach(async () => {
    vi.useRealTimers();
    await issuer.stop();
  });
}

/** Advances the clock by `ms`. Timers keep running in real time. */
export const pass = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
