import '../browser-globals.ts';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  accessToken,
  readAuthorization,
  rejection,
  rejectToken,
  setRenewal,
  setToken,
} from '../../../../../infra/web/console/auth/access-token.ts';
import { authorizeFetch } from '../../../../../infra/web/console/auth/authorized-fetch.ts';

const accepted = { token: 'second' };
const readToken = (init?: RequestInit) => new Headers(init?.headers).get('authorization');
const send = vi.fn(
  async (_url: unknown, init?: RequestInit) =>
    new Response(null, { status: readToken(init) === `Bearer ${accepted.token}` ? 200 : 401 }),
);
const authorized = authorizeFetch(send);

const renew = vi.fn(async () => {
  setToken('second');
  return true;
});
const fail = async () => false;
beforeEach(() => {
  send.mockClear();
  renew.mockClear();
  accepted.token = 'second';
  setRenewal(renew);
  // Clears the expiry of the previous test.
  setToken(undefined);
  setToken('first');
});

test('requests that are rejected together share one token renewal and are retried', async () => {
  const issuer = Promise.withResolvers<void>();
  renew.mockImplementationOnce(async () => {
    await issuer.promise;
    setToken('second');
    return true;
  });
  const responses = Promise.all([authorized('/one'), authorized('/two')]);
  await expect.poll(() => send).toHaveBeenCalledTimes(2);
  // Both requests first receive their 401.
  await setImmediate();
  issuer.resolve();
  expect((await responses).map(({ status }) => status)).toEqual([200, 200]);
  expect(renew).toHaveBeenCalledTimes(1);
  const sent = send.mock.calls.map(([url, init]) => `${url} ${readToken(init)}`);
  expect(sent.toSorted()).toEqual([
    '/one Bearer first',
    '/one Bearer second',
    '/two Bearer first',
    '/two Bearer second',
  ]);
});

test('an expired token is renewed before the request', async () => {
  setToken('first', Date.now() - 1);
  await authorized('/one');
  expect(send.mock.calls.map(([, init]) => readToken(init))).toEqual(['Bearer second']);
});

test.each([
  ['has expired', () => setToken('first', Date.now() - 1)],
  ['was rejected', () => setToken('first')],
])('a token that %s is kept while the issuer cannot be reached', async (_, prepare) => {
  prepare();
  setRenewal(async () => {
    throw new Error('The issuer cannot be reached');
  });
  await expect(authorized('/one')).rejects.toThrow('The issuer cannot be reached');
  expect(accessToken.get()).toBe('first');
  setRenewal(renew);
  expect((await authorized('/one')).status).toBe(200);
});

test('pages that cannot renew a token neither send nor remove an expired one', () => {
  setToken('first', Date.now() - 1);
  expect(readAuthorization()).toEqual({});
  expect(accessToken.get()).toBe('first');
});

test('after a renewed token is rejected, the request waits for the person', async () => {
  accepted.token = 'third';
  const response = authorized('/one');
  await expect.poll(() => rejection.get()).toBeDefined();
  expect(renew).toHaveBeenCalledTimes(1);
  expect(accessToken.get()).toBeUndefined();
  setToken('third');
  expect((await response).status).toBe(200);
});

test('aborting ends a request that waits for a sign-in', async () => {
  setRenewal(fail);
  const stop = new AbortController();
  const response = authorized('/one', { signal: stop.signal });
  await expect.poll(() => rejection.get()).toBeDefined();
  stop.abort(new Error('stopped'));
  await expect(response).rejects.toThrow('stopped');
  expect(send).toHaveBeenCalledTimes(1);
});

test('a request that was aborted before does not wait for a sign-in', async () => {
  rejectToken({ hasExpired: true, reason: 'It has expired.' });
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(authorized('/one', { signal })).rejects.toThrow('stopped');
});

test('a request that is aborted during a failed renewal does not wait for a sign-in', async () => {
  const stop = new AbortController();
  setToken('first', Date.now() - 1);
  setRenewal(async () => {
    stop.abort(new Error('stopped'));
    return false;
  });
  await expect(authorized('/one', { signal: stop.signal })).rejects.toThrow('stopped');
});

test('the limit of 30 seconds applies to the service, not to a person who signs in', async () => {
  vi.useFakeTimers();
  try {
    setRenewal(fail);
    let signal: AbortSignal | null | undefined;
    const silent = authorizeFetch(async (url, init) => {
      if (readToken(init) === 'Bearer first') return send(url, init);
      signal = init?.signal;
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal?.reason)));
    });
    const response = silent('/one').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rejection.get()).toBeDefined();
    setToken('second');
    await vi.advanceTimersByTimeAsync(29_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await response).toMatchObject({ code: 'TIMEOUT' });
  } finally {
    vi.useRealTimers();
  }
});
