import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Service } from '../../../infra/local/service.ts';
import { environment } from '../../../lib/environment.ts';
import { startServiceWithTokens } from './apis.ts';
import { AUDIENCE, type Issuer, startIssuer } from './issuer.ts';

let issuer: Issuer;
let service: Service;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startServiceWithTokens({ issuer: issuer.url, audience: AUDIENCE });
});
afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

const body = { query: 'subscription { userChanged { kind } }' };

type Stream = { status: number; text: Promise<string> };

async function subscribeOverHttp(authorization: string): Promise<Stream> {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', authorization };
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: response.text() };
}

/** Imports the handler late, because it reads environment variables on import. */
async function subscribeByUrl(authorization: string): Promise<Stream> {
  const { requestStream } = await import('../features/change-log/sse/sse-client.ts');
  const { status, body: events } = await requestStream({ body, headers: { authorization } });
  return { status, text: events.toArray().then((chunks) => String(Buffer.concat(chunks))) };
}

test.each([
  ['web function', subscribeOverHttp],
  ['function with a Function URL', subscribeByUrl],
])(
  'a stream of a %s ends when its token expires, so that the client reconnects with a new one',
  async (_, subscribe) => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    // The token expires in 0.2 s by the service's clock, but in 10 minutes by the real one: a slow machine can still use
    // it.
    environment.now = () => exp * 1000 - 200;
    const start = performance.now();
    const { status, text } = await subscribe(`Bearer ${await issuer.sign({ exp })}`);
    // The stream has no event `complete`, after which clients would not reconnect.
    expect([status, await text]).toEqual([200, expect.stringMatching(/^(:\n\n)+$/)]);
    const seconds = (performance.now() - start) / 1000;
    expect(seconds).toBeGreaterThan(0.19);
    // Streams end after 90 s if the token does not expire.
    expect(seconds).toBeLessThan(60);
  },
);
