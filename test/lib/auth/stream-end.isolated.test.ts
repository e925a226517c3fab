import { afterEach, expect, test, vi } from 'vitest';
import { environment } from '../../../lib/environment.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

startServiceBeforeAll();

afterEach(() => void vi.useRealTimers());

const body = { query: 'subscription { userChanged { kind } }' };

type Stream = { status: number; chunks: AsyncIterator<Uint8Array> };

async function subscribeOverHttp(authorization: string): Promise<Stream> {
  const headers = { accept: 'text/event-stream', 'content-type': 'application/json', authorization };
  const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.body) throw new Error('The response has no body');
  return { status: response.status, chunks: response.body[Symbol.asyncIterator]() };
}

/** Imports the handler late, because it reads environment variables on import. */
async function subscribeByUrl(authorization: string): Promise<Stream> {
  const { requestStream } = await import('../features/change-log/sse/sse-client.ts');
  const { status, body: chunks } = await requestStream({ body, headers: { authorization } });
  return { status, chunks: chunks[Symbol.asyncIterator]() };
}

test.each([
  ['web function', subscribeOverHttp],
  ['function with a Function URL', subscribeByUrl],
])(
  'a stream of a %s ends when its token expires, so that the client reconnects with a new one',
  async (_, subscribe) => {
    const exp = Math.floor(Date.now() / 1000) + 600;
    environment.now = () => exp * 1000 - 2_000;
    const authorization = `Bearer ${await issuer.sign({ exp })}`;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { status, chunks } = await subscribe(authorization);
    const first = await chunks.next();
    expect([status, String(Buffer.from(first.value))]).toEqual([200, ':\n\n']);
    let isEnded = false;
    const end = chunks.next().finally(() => (isEnded = true));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    // The stream has no event `complete`, after which clients would not reconnect.
    expect(await end).toMatchObject({ done: true });
  },
);
