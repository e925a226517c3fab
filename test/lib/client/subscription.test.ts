import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClientError, createClient } from '../../../lib/client/client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const QUERY = 'subscription ($after: ID) { userChanged(after: $after) { cursor } }';
function stream(events: string[] = [], milliseconds = 500, headers = {}): Response {
  const body = new ReadableStream<string>({
    start(controller) {
      for (const event of events) controller.enqueue(event);
      setTimeout(() => controller.close(), milliseconds);
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), {
    headers: { date: 'Sun, 22 Nov 2026 10:00:00 GMT', ...headers },
  });
}
function breakOff(text: string): Response {
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isSent) controller.error(new TypeError('terminated'));
      else controller.enqueue(new TextEncoder().encode(text));
      isSent = true;
    },
  });
  return new Response(body, { headers: { date: 'Sun, 22 Nov 2026 10:00:00 GMT' } });
}
const change = (cursor: string) => `event: next\ndata: {"data":{"userChanged":{"cursor":"${cursor}"}}}\n\n`;
const reject = (status: number, body: object, headers = {}) => new Response(JSON.stringify(body), { status, headers });

const subscribe = (fetch: typeof globalThis.fetch, onConnect?: () => void) =>
  createClient({ baseUrl: '', fetch }).subscribe({ query: QUERY }, { resumes: true, onConnect });

function follow(...responses: (() => Response)[]) {
  const fetch = vi.fn<typeof globalThis.fetch>();
  for (const response of responses) fetch.mockImplementationOnce(async () => response());
  fetch.mockReturnValue(new Promise(() => {}));
  const onConnect = vi.fn();
  const results = subscribe(fetch, onConnect);
  const readAfter = () => fetch.mock.calls.map(([, init]) => JSON.parse(String(init?.body)).variables.after);
  return { results, fetch, onConnect, readAfter };
}

test('a stream resumes after the last change, or at the start of the first stream', async () => {
  const { results, readAfter } = follow(
    () => stream(),
    () => stream([change('first')]),
    () => stream([change('second')]),
  );
  for (const cursor of ['first', 'second']) {
    const next = results.next();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await next).toMatchObject({ value: { data: { userChanged: { cursor } } } });
  }
  void results.next();
  await vi.advanceTimersByTimeAsync(2000);
  expect(readAfter()).toEqual([undefined, '2026-11-22T10:00:00.000Z', 'first', 'second']);
});

test('a stream without changes resumes at the latest stream-cursor, which is more exact than Date', async () => {
  const { results, onConnect, readAfter } = follow(
    () => stream([], 2000, { 'stream-cursor': 'start' }),
    () => stream([], 2000, { 'stream-cursor': 'start, later' }),
  );
  void results.next();
  await vi.advanceTimersByTimeAsync(5000);
  expect(readAfter()).toEqual([undefined, 'start', 'start, later']);
  expect(onConnect.mock.calls[0]).toEqual(['start', '2026-11-22T10:00:00.000Z']);
});

test.each([
  [400, { errors: [{ message: 'after is too old' }] }, 'after is too old'],
  [403, { message: 'Forbidden' }, 'Forbidden'],
  [404, {}, 'The answer is not from the service. Check the URL. A proxy or a login page may have sent the answer.'],
])('a subscription that is rejected with %s ends with the reason', async (status, body, message) => {
  const { results, fetch, onConnect } = follow(() => reject(status, body));
  const error = await results.next().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ status, message, body });
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(onConnect).not.toHaveBeenCalled();
});

test('a subscription that gets the page of a login form ends with UNEXPECTED_ANSWER', async () => {
  const headers = { 'content-type': 'text/html' };
  const { results } = follow(() => new Response('<form>', { headers }));
  await expect(results.next()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 200 });
});

test.each([429, 502, 503, 504])('a subscription that is rejected with %s is repeated', async (status) => {
  const { results, fetch } = follow(
    () => reject(status, {}, { 'retry-after': '10' }),
    () => stream([change('first')]),
  );
  const next = results.next();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(fetch).toHaveBeenCalledTimes(1);
  // Retry-After is followed by up to 400 ms of jitter, which spreads clients with the same Retry-After.
  await vi.advanceTimersByTimeAsync(401);
  expect((await next).value).toBeDefined();
});

// A pause must stay below 2^31 ms: setTimeout treats longer ones as 1 ms.
test.each([
  ['0', 1],
  ['Sun, 22 Nov 2026 09:00:00 GMT', 1],
  ['Sun, 22 Nov 2026 10:00:10 GMT', 10],
  ['9999999999', 60],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 60],
  ['soon', 1],
])('repeated responses with Retry-After: %s lengthen each pause by %i s', async (retryAfter, seconds) => {
  const headers = { 'retry-after': retryAfter, date: 'Sun, 22 Nov 2026 10:00:00 GMT' };
  const fetch = followStreams(() => reject(503, {}, headers));
  await vi.advanceTimersByTimeAsync(600_000);
  // Pauses grow from 0.2 s to 20 s, plus Retry-After. Jitter shortens each by up to half.
  expect(fetch.mock.calls.length).toBeLessThan(12 + 600 / (10 + seconds));
  expect(fetch.mock.calls.length).toBeGreaterThan(600 / (20 + seconds));
});

test('onWait receives the reason', async () => {
  const errors = [
    {
      message: '5 of 5 streams are open; please try again later',
      extensions: { code: 'SERVICE_UNAVAILABLE', limit: 5 },
    },
  ];
  const fetch = vi.fn<typeof globalThis.fetch>().mockImplementationOnce(async () => reject(503, { errors }));
  fetch.mockReturnValue(new Promise(() => {}));
  const onWait = vi.fn();
  const results = createClient({ baseUrl: '', fetch }).subscribe({ query: QUERY }, { resumes: true, onWait });
  void results.next();
  await vi.advanceTimersByTimeAsync(0);
  expect(onWait.mock.calls).toEqual([[expect.any(ClientError)]]);
  expect(onWait.mock.calls[0]?.[0]).toMatchObject({ status: 503, message: errors[0]?.message, body: { errors } });
});

test.each(['onConnect', 'onWait', 'onReconnect'])('an error of %s ends the subscription', async (callback) => {
  const cancel = vi.fn();
  const answers = {
    onConnect: () => new Response(new ReadableStream({ cancel })),
    onWait: () => reject(503, {}),
    onReconnect: () => stream([], 0),
  };
  const fetch = vi.fn(async () => answers[callback as keyof typeof answers]());
  // Errors of the caller end the stream, also a ClientError.
  const error = new ClientError(503, 'the callback failed', { code: 'SERVICE_UNAVAILABLE' });
  const fail = () => {
    throw error;
  };
  const results = createClient({ baseUrl: '', fetch }).subscribe({ query: QUERY }, { resumes: true, [callback]: fail });
  const thrown = results.next().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await Promise.race([thrown, 'waits'])).toBe(error);
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(cancel).toHaveBeenCalledTimes(callback === 'onConnect' ? 1 : 0);
});

test('a stream that breaks off is reopened after its last change', async () => {
  const { results, fetch, readAfter } = follow(
    () => breakOff(change('first')),
    () => stream([change('second')]),
  );
  expect((await results.next()).value).toBeDefined();
  const next = results.next();
  await vi.advanceTimersByTimeAsync(1000);
  expect(await next).toMatchObject({ value: { data: { userChanged: { cursor: 'second' } } } });
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(readAfter()).toEqual([undefined, 'first']);
});

test.each(['{"data":', 'null', '1'])('a change that is %s, not a result, ends the subscription', async (data) => {
  const { results, fetch } = follow(() => stream([`event: next\ndata: ${data}\n\n`]));
  const thrown = results.next().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(0);
  expect(await Promise.race([thrown, 'waits'])).toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('a subscription that is aborted while it waits calls onReconnect no more', async () => {
  const stop = new AbortController();
  const onReconnect = vi.fn();
  const results = createClient({ baseUrl: '', fetch: async () => reject(503, {}) }).subscribe(
    { query: QUERY },
    { resumes: true, signal: stop.signal, onReconnect },
  );
  const next = results.next();
  await vi.advanceTimersByTimeAsync(500);
  expect(onReconnect).toHaveBeenCalledTimes(1);
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(onReconnect).toHaveBeenCalledTimes(1);
});

test('a rejection whose body never ends is repeated', async () => {
  const { results, fetch } = follow(
    () => new Response(new ReadableStream(), { status: 503 }),
    () => stream([change('first')]),
  );
  const next = results.next();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(fetch).toHaveBeenCalledTimes(2);
  expect((await next).value).toBeDefined();
});

test('the signal also drops changes of the same chunk', async () => {
  const stop = new AbortController();
  const fetch = async () => stream([change('first') + change('second')]);
  const { subscribe } = createClient({ baseUrl: '', fetch });
  const received: unknown[] = [];
  for await (const { data } of subscribe({ query: QUERY }, { resumes: true, signal: stop.signal })) {
    received.push(data?.userChanged?.cursor);
    stop.abort();
  }
  expect(received).toEqual(['first']);
});

function followStreams(createResponse: () => Response) {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => createResponse());
  const read = async () => {
    for await (const _ of subscribe(fetch));
  };
  void read();
  return fetch;
}

test('streams that end at once are reopened with growing pauses', async () => {
  const fetch = followStreams(() => stream([], 0));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch.mock.calls.length).toBeLessThan(15);
});

test('streams that last for a while are reopened quickly', async () => {
  const fetch = followStreams(() => stream([], 2000));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch.mock.calls.length).toBeGreaterThan(20);
});

test('a short stream with a change is reopened quickly', async () => {
  const fetch = followStreams(() => stream([change('first')], 50));
  await vi.advanceTimersByTimeAsync(9000);
  expect(fetch.mock.calls.length).toBeGreaterThan(20);
});

test('a stream that ends with its last change is reopened', async () => {
  const fetch = followStreams(() => stream([change('first')], 0));
  await vi.advanceTimersByTimeAsync(9000);
  expect(fetch.mock.calls.length).toBeGreaterThan(20);
});

test('a subscription that the service completes ends', async () => {
  const { results, fetch } = follow(() => stream([change('first'), 'event: complete\ndata:\n\n']));
  expect((await results.next()).value).toBeDefined();
  expect(await results.next()).toEqual({ done: true, value: undefined });
  expect(fetch).toHaveBeenCalledTimes(1);
});

/** Returns a stream that sends keep-alive comments at `times` (in ms) and never ends. */
function endlessStream(...times: number[]): Response {
  const body = new ReadableStream<string>({
    start(controller) {
      for (const ms of times) setTimeout(() => controller.enqueue(':\n\n'), ms);
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()));
}

test('a stream that is silent for 30 seconds is replaced by the next one', async () => {
  const { results, fetch } = follow(() => endlessStream());
  void results.next();
  await vi.advanceTimersByTimeAsync(29_900);
  expect(fetch).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(fetch).toHaveBeenCalledTimes(2);
});

test('comments of the service keep a stream without changes open', async () => {
  const { results, fetch } = follow(() => endlessStream(12_000, 24_000, 36_000, 48_000));
  void results.next();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).toHaveBeenCalledTimes(1);
});
