import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createWebhook, describeUrl, provideSecret } from '../../../infra/local/webhook.ts';
import { isUnavailable } from '../../../lib/errors.ts';
import { isSecret, sign } from '../../../lib/features/events/webhook.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { newEvent, startReceiver, verify } from '../../lib/features/events/webhook-requests.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const receiver = await startReceiver();
const { url } = receiver;

const warn = vi.spyOn(console, 'warn').mockReturnValue();
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
  receiver.reset();
});
afterAll(() => receiver.stop());

test('signatures equal those of the Standard Webhooks libraries', () => {
  expect(sign(SECRET, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('an event is POSTed as JSON, with a signature that a receiver can verify', async () => {
  const send = createWebhook(url, SECRET, new AbortController().signal);
  expect(await send([newEvent('epoch#USER#ada/1')])).toEqual([undefined]);
  const [request] = receiver.received;
  expect(JSON.parse(request?.body ?? '')).toEqual(newEvent('epoch#USER#ada/1'));
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': `user-management-service/${packageJson.version}`,
    'webhook-id': 'epoch#USER#ada/1',
  });
  if (!request) return;
  expect(verify(request, SECRET)).toBe(true);
  expect(verify({ ...request, body: request.body.replace('Ada', 'Eve') }, SECRET)).toBe(false);
  expect(verify({ ...request, headers: { ...request.headers, 'webhook-id': 'other' } }, SECRET)).toBe(false);
  expect(verify(request, `whsec_${Buffer.alloc(24).toString('base64')}`)).toBe(false);
});

test.each([
  ['500', { status: 500 }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ['404', { status: 404 }],
] as const)('an event that is answered with %s is sent again after a pause, which doubles', async (_, failure) => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
  const send = createWebhook(url, SECRET, new AbortController().signal);
  receiver.answer = () => failure;
  const events = [newEvent('1')];
  const pauses: number[] = [];
  for (let failures = 1; failures <= 8; failures++) {
    expect((await send(events)).map(isUnavailable)).toEqual([true]);
    expect(receiver.received).toHaveLength(failures);
    const { retryInMs } = warn.mock.lastCall?.[0] ?? { retryInMs: 0 };
    pauses.push(retryInMs);
    vi.advanceTimersByTime(retryInMs - 1);
    expect((await send(events)).map(isUnavailable)).toEqual([true]);
    expect(receiver.received).toHaveLength(failures);
    vi.advanceTimersByTime(1);
  }
  for (const [at, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(Math.min(30_000, 500 * 2 ** at) / 2);
    expect(pause).toBeLessThanOrEqual(Math.min(30_000, 500 * 2 ** at));
  }
  receiver.answer = () => ({ status: 200 });
  expect(await send(events)).toEqual([undefined]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['1']));
  expect(JSON.stringify(warn.mock.calls)).not.toMatch(/Ada|"ada"/);
});

test('Retry-After sets the pause', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
  const send = createWebhook(url, SECRET, new AbortController().signal);
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '120' } });
  await send([newEvent('1')]);
  expect(warn).toHaveBeenCalledExactlyOnceWith({
    ...{ event: 'webhook-failed', type: 'user.created', reason: 'status 503', failures: 1, retryInMs: 120_000 },
  });
  // A clock that is set back must not prolong the pause.
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(120_000);
  await send([newEvent('1')]);
  expect(receiver.received).toHaveLength(2);
});

test.each(['0', 'Fri, 31 Dec 1999 23:59:59 GMT'])(
  'Retry-After: %s does not shorten the pauses, which grow to 30 seconds',
  async (retryAfter) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() });
    const send = createWebhook(url, SECRET, new AbortController().signal);
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': retryAfter } });
    for (let failures = 1; failures <= 8; failures++) {
      await send([newEvent('1')]);
      await send([newEvent('1')]);
      expect(receiver.received).toHaveLength(failures);
      const { retryInMs } = warn.mock.lastCall?.[0] ?? { retryInMs: 0 };
      expect(retryInMs).toBeGreaterThanOrEqual(Math.min(30_000, 500 * 2 ** (failures - 1)) / 2);
      vi.advanceTimersByTime(retryInMs);
    }
  },
);

test('a failing event does not block other events', async () => {
  const send = createWebhook(url, SECRET, new AbortController().signal);
  receiver.answer = ({ id }) => ({ status: id === '3' ? 500 : 204 });
  const errors = await send(Array.from({ length: 25 }, (_, at) => newEvent(String(at))));
  expect(errors.flatMap((error, at) => (error ? [at] : []))).toEqual([3]);
  expect(receiver.received).toHaveLength(25);
});

test('an unreachable or silent receiver causes no exception', async () => {
  const closed = createWebhook('http://127.0.0.1:1/hook', SECRET, new AbortController().signal);
  expect((await closed([newEvent('1')])).map(isUnavailable)).toEqual([true]);
  expect(warn.mock.calls).toMatchObject([[{ reason: expect.stringMatching(/ECONNREFUSED|bad port/) }]]);
  const stopping = new AbortController();
  const silent = createWebhook(url, SECRET, stopping.signal);
  receiver.answer = () => {
    stopping.abort();
    return 'none';
  };
  expect((await silent([newEvent('1')])).map(isUnavailable)).toEqual([true]);
});

test("a folder's secret is created once and readable only by its owner", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
  const first = provideSecret(folder);
  expect(first.isNew && isSecret(first.secret)).toBe(true);
  expect(provideSecret(folder)).toEqual({ secret: first.secret, isNew: false });
  expect(statSync(join(folder, 'webhook-secret')).mode & 0o077).toBe(0);
  expect(existsSync(join(folder, 'webhook-secret.new'))).toBe(false);
  expect(provideSecret(undefined).secret).not.toBe(provideSecret(undefined).secret);
  await rm(folder, { recursive: true });
});

test.each(['whsec_', 'whsec_c2hvcnQ=', SECRET.slice(6), `whsec_${'A'.repeat(100)}`, `${SECRET}!`])(
  'rejects %s as a secret',
  (text) => expect(isSecret(text)).toBe(false),
);

test.each(['', '\n', 'whsec_', SECRET.slice(0, 20), `${SECRET}\n${SECRET}`])(
  'throws for a secret file that contains %j and leaves it unchanged',
  async (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
    const file = join(folder, 'webhook-secret');
    writeFileSync(file, text);
    expect(() => provideSecret(folder)).toThrow(
      `${file} contains no valid webhook secret. Restore it, or delete it: the next start creates another`,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
    await rm(folder, { recursive: true });
  },
);

test('throws for an unreadable secret file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
  await mkdir(join(folder, 'webhook-secret'));
  expect(() => provideSecret(folder)).toThrow(/EISDIR/);
  await rm(folder, { recursive: true });
});

describe('a URL with user, password and token', () => {
  const withCredentials = `${url.replace('//', '//ada%40example.org:p%C3%A4ss%3A@')}?token=hidden`;

  test('is requested with Basic authorization', async () => {
    const send = createWebhook(withCredentials, SECRET, new AbortController().signal);
    expect(await send([newEvent('1')])).toEqual([undefined]);
    const credentials = Buffer.from('ada@example.org:päss:').toString('base64');
    expect(receiver.received).toMatchObject([
      { path: '/hook?token=hidden', headers: { authorization: `Basic ${credentials}` } },
    ]);
  });

  test('is printed and logged without them', async () => {
    expect(describeUrl(withCredentials)).toBe(`${url}?…`);
    for (const failing of [withCredentials, 'http://ada:p%C3%A4ss@127.0.0.1:1/hook?token=hidden']) {
      receiver.answer = () => ({ status: 500 });
      await createWebhook(failing, SECRET, new AbortController().signal)([newEvent('1')]);
    }
    expect(warn).toHaveBeenCalledTimes(2);
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(/ada|p(ä|%C3%A4)ss|hidden/);
  });
});
