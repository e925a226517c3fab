import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClientError, type ClientOptions, createClient } from '../../../lib/client/client.ts';
import { pause } from '../../../lib/client/transport.ts';

const BASE_URL = 'http://localhost';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const catchError = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('the time limit', () => {
  const silentFetch = () =>
    vi.fn<typeof fetch>(
      (_, init) =>
        new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
    );

  const endlessFetch = () =>
    vi.fn<typeof fetch>(async (_, init) => {
      const body = new ReadableStream({
        start: (stream) => init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason)),
      });
      return new Response(body);
    });

  test.each([silentFetch, endlessFetch])(
    'of an attempt is 30 seconds, and further attempts follow: %o',
    async (create) => {
      const fetch = create();
      const { users } = createClient({ baseUrl: '', fetch, retries: { maxAttempts: 2, maxPauseMs: 1 } });
      const error = catchError(users.get('x'));
      await vi.advanceTimersByTimeAsync(29_999);
      expect(fetch).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(2);
      expect(fetch).toHaveBeenCalledTimes(2);
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await error).toMatchObject({ code: 'TIMEOUT', status: 0, message: expect.stringContaining('30 seconds') });
    },
  );

  test('can be set by timeoutMs, and disabled', async () => {
    const options = { baseUrl: '', retries: { maxAttempts: 1 } };
    const short = createClient({ ...options, fetch: silentFetch(), timeoutMs: 100 });
    const error = catchError(short.graphql('{ __typename }'));
    await vi.advanceTimersByTimeAsync(100);
    expect(await error).toMatchObject({ code: 'TIMEOUT' });
    const stop = new AbortController();
    const endless = createClient({ ...options, fetch: silentFetch(), timeoutMs: Number.POSITIVE_INFINITY });
    const stopped = catchError(endless.users.get('x', { signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(86_400_000);
    stop.abort('stopped');
    expect(await stopped).toBe('stopped');
  });

  test('does not include waiting for credentials', async () => {
    const token = Promise.withResolvers<string>();
    const { users } = createClient({
      baseUrl: '',
      auth: () => token.promise,
      fetch: async () => new Response('{"id":"x"}', { headers: { etag: '"1"' } }),
    });
    const user = users.get('x');
    await vi.advanceTimersByTimeAsync(60_000);
    token.resolve('token');
    expect(await user).toMatchObject({ id: 'x' });
  });

  const pending = () => new Promise<never>(() => {});

  test('includes signing', async () => {
    const { users } = createClient({ baseUrl: BASE_URL, auth: { sign: pending }, retries: { maxAttempts: 1 } });
    const error = catchError(users.get('x'));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await error).toMatchObject({ code: 'TIMEOUT' });
  });

  test.each([
    ['a function', pending],
    ['a signer', { sign: pending }],
  ])('is not needed for a signal to end the wait for %s', async (_, auth) => {
    const { users } = createClient({ baseUrl: BASE_URL, auth });
    const stop = new AbortController();
    const stopped = catchError(users.get('x', { signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(1);
    stop.abort('stopped');
    expect(await stopped).toBe('stopped');
    expect(await catchError(users.get('x', { signal: stop.signal }))).toBe('stopped');
  });

  test('does not end an open stream, and retries a stream that opens too late', async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const silent = silentFetch();
    const open: typeof fetch = async (_, init) => {
      signals.push(init?.signal);
      return new Response(new ReadableStream());
    };
    const send = vi.fn<typeof fetch>(open).mockImplementationOnce(silent);
    const onWait = vi.fn();
    const results = createClient({ baseUrl: '', fetch: send }).subscribe(
      { query: 'subscription { userChanged { id } }' },
      { resumes: false, onWait },
    );
    void results.next();
    await vi.advanceTimersByTimeAsync(31_000);
    expect(onWait).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'TIMEOUT' }));
    expect(send).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
  });
});

describe('credentials that are not available', () => {
  const failure = new Error('The issuer is down');
  const fail = () => {
    throw failure;
  };
  const expected = {
    ...{ code: 'UNAUTHENTICATED', status: 401, cause: failure },
    message: expect.stringContaining('The issuer is down'),
  };

  test.each([
    ['a function that throws', fail],
    ['a function that rejects', async () => fail()],
    ['a signer that rejects', { sign: async () => fail() }],
  ])('are not retried: %s', async (_, auth) => {
    const spied = typeof auth === 'function' ? vi.fn(auth) : { sign: vi.fn(auth.sign) };
    const fetch = vi.fn();
    const client = createClient({ baseUrl: '', auth: spied, fetch });
    const ask = typeof spied === 'function' ? spied : spied.sign;
    expect(await catchError(client.users.get('x'))).toMatchObject(expected);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(await catchError(client.changes().next())).toMatchObject(expected);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe('a request that cannot be sent', () => {
  /** Returns the error unless the client waits for another attempt. */
  async function catchAtOnce(promise: Promise<unknown>): Promise<unknown> {
    const error = catchError(promise);
    await vi.advanceTimersByTimeAsync(0);
    return Promise.race([error, 'waits']);
  }
  const query = 'subscription { userChanged { cursor } }';
  /** Returns the errors of REST, GraphQL and a stream. */
  const sendAll = (options: Partial<ClientOptions>, variables: Record<string, unknown> = {}) => {
    const client = createClient({ baseUrl: BASE_URL, ...options });
    const requests = [
      client.users.create({ name: 'Ada', email: 'ada@example.org', ...variables }),
      client.graphql('{ __typename }', variables),
      client.subscribe({ query, variables }, { resumes: true }).next(),
    ];
    return Promise.all(requests.map(catchAtOnce));
  };

  test.each([
    ['without a scheme', 'localhost:3000'],
    ['with a host only', 'users.example.com'],
    ['relative to no page', ''],
    ['with a password', 'https://ada:secret@users.example.com'],
    ['of another scheme', 'ftp://users.example.com'],
  ])('is not retried: a URL %s', async (_, baseUrl) => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
    for (const error of await sendAll({ baseUrl })) expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 0 });
    expect(fetch).not.toHaveBeenCalled();
    fetch.mockRestore();
  });

  test('names the URL and the schemes', async () => {
    const fetch = vi.fn();
    const message = 'localhost:3000/v1/users/x?include=times must begin with http:// or https://';
    const { users } = createClient({ baseUrl: 'localhost:3000', fetch });
    expect(await catchAtOnce(users.get('x'))).toMatchObject({ message: expect.stringContaining(message) });
    expect(fetch).not.toHaveBeenCalled();
  });

  test('is not retried: a fetch that throws', async () => {
    const cause = new Error('broken');
    const fetch = () => {
      throw cause;
    };
    for (const error of await sendAll({ fetch })) expect(error).toMatchObject({ code: 'INVALID_REQUEST', cause });
  });

  test('is not retried: a ClientError of a fetch', async () => {
    const signedOut = new ClientError(0, 'Sign in first', { code: 'SIGNED_OUT' });
    const fetch = vi.fn().mockRejectedValue(signedOut);
    expect(await sendAll({ fetch })).toEqual([signedOut, signedOut, signedOut]);
    expect(fetch).toHaveBeenCalledTimes(3);
  });

  test('is not retried: a BigInt', async () => {
    const fetch = vi.fn();
    for (const error of await sendAll({ fetch }, { level: 1n }))
      expect(error).toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('BigInt'),
      });
    const { users } = createClient<{ level: unknown }>({ baseUrl: BASE_URL, fetch, fields: ['level'] });
    const updates = Array.from({ length: 51 }, (_, at) => ({ user: 'x', changes: { level: at < 50 ? at : 1n } }));
    expect(await catchAtOnce(users.updateMany(updates))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(fetch).not.toHaveBeenCalled();
  });

  test.each(['line\nbreak', 'ellipsis…', 'control\u0001'])(
    'is not retried: the token %j, which its error does not contain',
    async (token) => {
      const fetch = vi.fn();
      for (const auth of [token, async () => token])
        for (const error of await sendAll({ fetch, auth })) {
          expect(error).toMatchObject({ code: 'UNAUTHENTICATED', message: expect.stringContaining('character') });
          expect(`${error} ${error instanceof ClientError && error.cause}`).not.toContain(token);
        }
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  test('is sent with a token in white space, as in a file with a line break', async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('{"data":{}}'));
    await createClient({ baseUrl: BASE_URL, fetch, auth: ' token\n' }).graphql('{ __typename }');
    expect(fetch.mock.calls[0]?.[1]?.headers).toMatchObject({ authorization: 'Bearer token' });
  });

  test.each(['no request', 'a request that was sent before'])('is not retried: a signer returns %s', async (result) => {
    const request = new Request(BASE_URL, { method: 'POST', body: 'sent' });
    await request.text();
    const auth = { sign: async () => (result === 'no request' ? (undefined as unknown as Request) : request) };
    const fetch = vi.fn();
    for (const error of await sendAll({ fetch, auth }))
      expect(error).toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringContaining('sign() must return a new Request'),
      });
    expect(fetch).not.toHaveBeenCalled();
  });
});

test('an answer without an ETag, which a proxy has removed, is not an own record', async () => {
  const { me } = createClient({ baseUrl: BASE_URL, fetch: async () => new Response('{"id":"x"}') });
  const expected = { code: 'UNEXPECTED_ANSWER', message: expect.stringContaining('ETag') };
  await expect(me.get()).rejects.toMatchObject(expected);
});

test('a signal that ends the request for credentials is the error, not UNAUTHENTICATED', async () => {
  const stop = new AbortController();
  const auth = async () => {
    stop.abort('stopped');
    throw new Error('The sign-in was cancelled');
  };
  const client = createClient({ baseUrl: '', auth, fetch: vi.fn() });
  expect(await catchError(client.users.get('x', { signal: stop.signal }))).toBe('stopped');
});

describe('a GraphQL response with status 200 and SERVICE_UNAVAILABLE', () => {
  const errors = [{ message: 'The service is busy', extensions: { code: 'SERVICE_UNAVAILABLE' } }];
  const connect = () => {
    const fetch = vi.fn(async () => new Response(JSON.stringify({ data: { user: { name: 'Ada' } } })));
    fetch.mockImplementationOnce(async () => new Response(JSON.stringify({ data: { user: null }, errors })));
    return { fetch, ...createClient({ baseUrl: '', fetch, retries: { maxPauseMs: 1 } }) };
  };

  test('is retried', async () => {
    const { graphql, fetch } = connect();
    const data = graphql('{ user(id: "x") { name } }');
    await vi.advanceTimersByTimeAsync(1);
    expect(await data).toEqual({ user: { name: 'Ada' } });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test('is not retried after a mutation, and its error has the whole response', async () => {
    const { graphql, fetch } = connect();
    expect(await catchError(graphql('mutation { publishPost(input: { id: "x" }) { post { id } } }'))).toMatchObject({
      ...{ code: 'SERVICE_UNAVAILABLE', status: 503, body: { data: { user: null }, errors } },
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe('a GraphQL response with TOO_MANY_REQUESTS', () => {
  const update = 'mutation { updateMe(input: { name: "Ada" }) { me { name } } }';

  async function execute(retryAfterSeconds: number, idempotent: boolean) {
    const extensions = { code: 'TOO_MANY_REQUESTS', retryAfterSeconds };
    const body = JSON.stringify({ data: { updateMe: null }, errors: [{ message: 'Too many changes', extensions }] });
    const fetch = vi.fn(async () => new Response(body));
    const { graphql } = createClient({ baseUrl: '', fetch, retries: { maxAttempts: 2, maxPauseMs: 1 } });
    const error = catchError(graphql(update, {}, { idempotent }));
    await vi.runAllTimersAsync();
    expect(await error).toMatchObject({
      ...{ code: 'TOO_MANY_REQUESTS', status: 429, retryAfterMs: retryAfterSeconds * 1_000 },
    });
    return fetch.mock.calls.length;
  }

  test('is retried if the service asks for less than a minute', async () => {
    expect([await execute(59, true), await execute(60, true), await execute(1_800, true)]).toEqual([2, 1, 1]);
  });

  test('is not retried after a mutation, because others of the request may have taken effect', async () => {
    expect(await execute(1, false)).toBe(1);
  });
});

test('an aborted call throws the reason of the signal, whatever fetch throws', async () => {
  const stop = new AbortController();
  const fetch = async () => {
    stop.abort('stopped');
    throw new TypeError('fetch failed');
  };
  const { users } = createClient({ baseUrl: '', fetch, retries: { maxAttempts: 1 } });
  expect(await catchError(users.get('x', { signal: stop.signal }))).toBe('stopped');
});

test('a pause ends at once with an aborted signal, and leaves no listener on another', async () => {
  await expect(pause(60_000, AbortSignal.abort('stopped'))).rejects.toBe('stopped');
  const { signal } = new AbortController();
  const waiting = pause(1, signal);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([
  [401, 1],
  [503, 2],
])(
  'a ClientError of the own fetch is thrown as it is, after retries if it is temporary: %i',
  async (status, attempts) => {
    const own = new ClientError(status, 'No session', { code: 'OWN', retryAfterMs: 1 });
    const fetch = vi.fn().mockRejectedValue(own);
    const { users } = createClient({ baseUrl: '', fetch, retries: { maxAttempts: 2, maxPauseMs: 1 } });
    const error = catchError(users.get('x'));
    await vi.runAllTimersAsync();
    expect(await error).toBe(own);
    expect(fetch).toHaveBeenCalledTimes(attempts);
  },
);

test('an UNREACHABLE error has its cause', async () => {
  const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
  const fetch = vi.fn().mockRejectedValue(cause);
  const error = await catchError(createClient({ baseUrl: '', fetch, retries: { maxAttempts: 1 } }).users.get('x'));
  const message = 'The service cannot be reached: TypeError: fetch failed (connect ECONNREFUSED)';
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ code: 'UNREACHABLE', message, cause });
});

test.each([
  ['apigw-requestid', '502', 'Bad gateway'],
  ['x-amzn-requestid', '503', '{"errors":[{"message":"busy"}]}'],
  ['x-amzn-requestid', '200', '{"errors":[{"message":"busy"}]}'],
  ['apigw-requestid', '200', '<html>'],
  ['apigw-requestid', '200', '{"status":"ok"}'],
])('an error has the request id of the header %s of a response with %s: %s', async (header, status, body) => {
  const fetch = async () => new Response(body, { status: Number(status), headers: { [header]: 'request-1' } });
  const client = createClient({ baseUrl: '', fetch, retries: { maxAttempts: 1 } });
  for (const request of [client.users.get('x'), client.graphql('{ __typename }')])
    expect(await catchError(request)).toMatchObject({ requestId: 'request-1' });
});
