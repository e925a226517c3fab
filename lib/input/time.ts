// Functions without input validation use this file, so it must not import zod.

const DATE = /^\d{4}-\d\d-(?<day>\d\d)$/;
const TIME = /^(?<date>\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Python, .NET and other clients support only these years. */
const YEARS_0001_TO_9999 = /^(?!0000)\d{4}-/;

export const DATE_FORM = 'must be a date such as 2026-01-31, from the year 0001 on';
export const TIME_FORM =
  'must be a time with Z or an offset, such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC';

/** False for February 30, which `Date` reads as March 2. */
const isInCalendar = (date: string): boolean => new Date(date).getUTCDate() === Number(DATE.exec(date)?.groups?.day);

export const isDate = (text: string): boolean => YEARS_0001_TO_9999.test(text) && isInCalendar(text);

/**
 * Converts an RFC 3339 time to UTC, so that texts sort like times. Undefined for other values, and for years before
 * 0001 or after 9999 in UTC. Accepts lower-case `t` and `z` (section 5.6).
 */
export function toUtc(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.toUpperCase() : '';
  const { date = '' } = TIME.exec(text)?.groups ?? {};
  if (!isInCalendar(date)) return undefined;
  const utc = new Date(text).toISOString();
  return YEARS_0001_TO_9999.test(utc) ? utc : undefined;
}
