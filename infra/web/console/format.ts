const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_628_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

const withWords = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const withNumbers = new Intl.RelativeTimeFormat('en', { style: 'short' });
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** Returns a word such as "yesterday", or truncates: 59.9 minutes are "59 min. ago". */
export function formatAge(time: Date, now = Date.now()): string {
  const seconds = (time.getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? [undefined, 1];
  if (!unit) return 'just now';
  const count = Math.trunc(seconds / size);
  const text = withWords.format(count, unit);
  return /\d/.test(text) ? withNumbers.format(count, unit) : text;
}

/** Days may have 23 or 25 hours. */
export function daysAgo(days: number): Date {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return day;
}

const pad = (number: number, length = 2) => String(number).padStart(length, '0');

export const toDayInput = (time: Date): string =>
  Number.isNaN(time.getTime())
    ? ''
    : [pad(time.getFullYear(), 4), pad(time.getMonth() + 1), pad(time.getDate())].join('-');

export function toLocalInput(timestamp: string): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return '';
  const [seconds, ms] = [time.getSeconds(), time.getMilliseconds()];
  const rest = ms > 0 ? `:${pad(seconds)}.${pad(ms, 3)}` : seconds > 0 ? `:${pad(seconds)}` : '';
  return `${toDayInput(time)}T${pad(time.getHours())}:${pad(time.getMinutes())}${rest}`;
}

export const formatMoment = (time: Date, now = new Date()): string =>
  time.toDateString() === now.toDateString() ? clock.format(time) : absolute.format(time);

export const formatTime = (time: Date): string => absolute.format(time);

export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns other text unchanged, such as an error page of a gateway. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function findInitials(name: string): string {
  const words = name.split(/[\s-]+/).filter((word) => /^\p{L}/u.test(word));
  const letters = [words.at(0), words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase();
}

export const formatMatches = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'match' : 'matches'}`;

export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`;
