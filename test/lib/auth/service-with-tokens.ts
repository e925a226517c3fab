import { afterAll, beforeAll } from 'vitest';
import type { Service } from '../../../infra/local/service.ts';
import { startServiceWithTokens } from './apis.ts';
import { AUDIENCE, type Issuer, startIssuer } from './issuer.ts';

export let issuer: Issuer;
export let service: Service;

/** Starts an issuer and a service that requires its tokens. Stops both after the test file. */
export function startServiceBeforeAll(): void {
  beforeAll(async () => {
    issuer = await startIssuer();
    service = await startServiceWithTokens({ issuer: issuer.url, audience: AUDIENCE });
  });
  afterAll(async () => {
    await service.stop();
    await issuer.stop();
  });
}
