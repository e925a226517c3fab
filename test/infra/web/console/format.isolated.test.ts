import { afterEach, expect, test, vi } from 'vitest';
import {
  daysAgo,
  findInitials,
  formatAge,
  formatCount,
  formatMatches,
  formatMoment,
  quote,
  toDayInput,
  toLocalInput,
} from '../../../../infra/web/console/format.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

test.each([
  [59, 'just now'],
  [HOUR - 1, '59 min. ago'],
  [HOUR, '1 hr. ago'],
  [DAY - MINUTE, '23 hr. ago'],
  [DAY, 'yesterday'],
  [365 * DAY - 1, '11 mo. ago'],
  [30 * DAY, '30 days ago'],
  [31 * DAY, 'last month'],
  [61 * DAY, '2 mo. ago'],
  [365 * DAY, 'last year'],
  [2 * 365 * DAY, '2 yr. ago'],
])('the age of %i seconds is "%s"', (seconds, age) => {
  expect(formatAge(new Date(NOW - seconds * 1000), NOW)).toBe(age);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

test.each([
  ['2025-10-26T22:30:00Z', '2025-10-25'],
  ['2025-03-30T22:30:00Z', '2025-03-30'],
])('at %s, after a change of the clock, yesterday was %s in Berlin', (now, yesterday) => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  vi.useFakeTimers({ now: new Date(now) });
  expect(toDayInput(daysAgo(1))).toBe(yesterday);
});

test('a time of today is shown without date', () => {
  const now = new Date(2026, 5, 15, 12);
  expect(formatMoment(new Date(2026, 5, 15, 0, 5), now)).toBe('00:05:00');
  expect(formatMoment(new Date(2026, 5, 14, 23, 5), now)).toBe('Jun 14, 2026, 23:05:00');
});

test.each(['2026-01-31T12:00', '2026-07-31T23:59:05', '0042-01-31T00:00:00.250'])(
  'the local time %s survives the conversion to UTC and back',
  (text) => {
    expect(toLocalInput(new Date(text).toISOString())).toBe(text);
  },
);

test('an invalid time is shown as an empty text', () => {
  expect(toLocalInput('')).toBe('');
});

test.each([
  ['Ada Lovelace', 'AL'],
  ['Dr. Ludwig van Beethoven', 'DB'],
  ['élodie', 'É'],
  ['Ada (Countess) 2', 'A'],
  ['山田 太郎', '山太'],
  ['42', ''],
])('the initials of %s are %j', (name, initials) => {
  expect(findInitials(name)).toBe(initials);
});

test('a local day has the form that date fields need', () => {
  expect(toDayInput(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
  expect(toDayInput(new Date('soon'))).toBe('');
});

test('counts have their noun', () => {
  expect([0, 1, 12_345].map((count) => formatCount(count, 'user'))).toEqual(['0 users', '1 user', '12,345 users']);
  expect([0, 1, 12_345].map(formatMatches)).toEqual(['0 matches', '1 match', '12,345 matches']);
});

test('a shell reads a quoted text unchanged', () => {
  expect(quote(`it's "$HOME"`)).toBe(`'it'\\''s "$HOME"'`);
});
