import type { FieldType } from '../../lib/users/fields/declaration.ts';

export type DateOrder = 'dmy' | 'mdy';

/** `dateOrder` applies only to dates that could have either order. */
export type LocalOptions = { dateOrder?: DateOrder | undefined };

const LOCAL_DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const YEAR_FIRST = /^(\d{4})[./](\d{1,2})[./](\d{1,2})$/;

const YES =
  'yes y ja j oui si sí sì sim tak ano áno igen да так evet ναι はい 是 예 true wahr vrai vero verdadero verdadeiro 1 x';
const NO = 'no n nein non não nao nie ne nem нет ні hayır hayir όχι いいえ 否 아니요 false falsch faux falso 0';
const words = new Map([
  ...YES.split(' ').map((word) => [word, 'true'] as const),
  ...NO.split(' ').map((word) => [word, 'false'] as const),
]);

const formatDate = (year = '', month = '', day = ''): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

/** A date with dots has the day first. Undefined if the text is not a date like 3/4/1980. */
export function findDateOrder(text: string): DateOrder | 'ambiguous' | undefined {
  const [, first, separator, second] = LOCAL_DATE.exec(text.trim()) ?? [];
  if (first === undefined) return undefined;
  if (separator === '.' || Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : 'ambiguous';
}

/** Converts local dates to ISO 8601, and words such as yes to `true`. Returns other texts unchanged. */
export function normalizeLocal(type: FieldType, text: string, { dateOrder }: LocalOptions): string {
  const trimmed = text.trim();
  if (type === 'boolean') return words.get(trimmed.toLowerCase()) ?? text;
  if (type !== 'date') return text;
  const [isYearFirst, year, month, day] = YEAR_FIRST.exec(trimmed) ?? [];
  if (isYearFirst) return formatDate(year, month, day);
  const shown = findDateOrder(trimmed);
  const order = shown === 'ambiguous' ? dateOrder : shown;
  const [, first, , second, last] = LOCAL_DATE.exec(trimmed) ?? [];
  if (!order) return text;
  return order === 'dmy' ? formatDate(last, second, first) : formatDate(last, first, second);
}
