import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';
import { createError } from '../../../lib/client/errors.ts';

const DATE = 'Mon, 23 Nov 2026 10:00:00 GMT';

beforeEach(() => void vi.useFakeTimers({ now: new Date(DATE) }));
afterEach(() => void vi.useRealTimers());

const readRetryAfterMs = (retryAfter: string, headers: Record<string, string> = {}) =>
  createError(new Response(null, { status: 503, headers: { 'retry-after': retryAfter, ...headers } }), undefined)
    .retryAfterMs;

// RFC 9110 sections 10.2.3 and 5.6.7.
test.each([
  ['0', 0],
  ['120', 120_000],
  ['Mon, 23 Nov 2026 10:02:00 GMT', 120_000],
  ['Monday, 23-Nov-26 10:02:00 GMT', 120_000],
  ['Mon Nov 23 10:02:00 2026', 120_000],
  ['Mon, 23 Nov 2026 09:00:00 GMT', 0],
])('Retry-After: %s is %i ms', (retryAfter, ms) => {
  expect(readRetryAfterMs(retryAfter)).toBe(ms);
});

test.each(['', 'soon', '-5', '1.5', '1e3', 'Mon, 23 Nov 2026'])('Retry-After: %j is ignored', (retryAfter) => {
  expect(readRetryAfterMs(retryAfter)).toBeUndefined();
});

test('a date in Retry-After is relative to Date, not to the client clock', () => {
  const retryAfter = 'Sun, 22 Nov 2026 10:00:30 GMT';
  expect(readRetryAfterMs(retryAfter, { date: 'Sun, 22 Nov 2026 10:00:00 GMT' })).toBe(30_000);
  expect(readRetryAfterMs('Mon, 23 Nov 2026 10:00:30 GMT', { date: 'yesterday' })).toBe(30_000);
});

test('an error in GraphQL has the pause of its extensions, or else of the header', () => {
  const read = (extensions: object) =>
    createError(new Response(null, { status: 503, headers: { 'retry-after': '10' } }), {
      errors: [{ message: 'Busy', extensions: { code: 'SERVICE_UNAVAILABLE', ...extensions } }],
    }).retryAfterMs;
  expect([read({}), read({ retryAfterSeconds: 60 }), read({ retryAfterSeconds: 0 })]).toEqual([10_000, 60_000, 0]);
});

test.each([
  ['a page', '<h1>Not Found</h1>'],
  ['the gateway', '{"message":"Not Found"}'],
  ['another API', '{"error":"no such tenant","code":404}'],
])('a 404 of %s is UNEXPECTED_ANSWER, not a missing user', async (_, body) => {
  const { users } = createClient({
    baseUrl: 'http://elsewhere',
    fetch: async () => new Response(body, { status: 404 }),
  });
  const isUnexpected = { code: 'UNEXPECTED_ANSWER', status: 404, message: expect.stringContaining('Check the URL') };
  await expect(users.get('x')).rejects.toMatchObject(isUnexpected);
  await expect(users.delete('x')).rejects.toMatchObject(isUnexpected);
  await expect(users.find({ email: 'ada@example.org' })).rejects.toMatchObject(isUnexpected);
});
