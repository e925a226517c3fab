import type { FieldType } from '../../lib/users/fields/declaration.ts';

/** Whether 03/04/1980 starts with the day or the month. */
export type DateOrder = 'dmy' | 'mdy';

/** How to read ambiguous values. */
export type LocalOptions = { dateOrder?: DateOrder | undefined };

const LOCAL_DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
const YEAR_FIRST = /^(\d{4})[./](\d{1,2})[./](\d{1,2})$/;

/** Yes and no in languages of likely files. */
const YES =
  'yes y ja j oui si sí sì sim tak ano áno igen да так evet ναι はい 是 예 true wahr vrai vero verdadero verdadeiro 1 x';
const NO = 'no n nein non não nao nie ne nem нет ні hayır hayir όχι いいえ 否 아니요 false falsch faux falso 0';
const words = new Map([
  ...YES.split(' ').map((word) => [word, 'true'] as const),
  ...NO.split(' ').map((word) => [word, 'false'] as const),
]);

const formatDate = (year = '', month = '', day = ''): string =>
  `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

/** Returns the order of day and month that a date implies. Dots imply day first. Undefined if the text is not such a date. */
export function findDateOrder(text: string): DateOrder | 'ambiguous' | undefined {
  const [, first, separator, second] = LOCAL_DATE.exec(text.trim()) ?? [];
  if (first === undefined) return undefined;
  if (separator === '.' || Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : 'ambiguous';
}

/** Converts dates to ISO and yes/no to true/false, for `parseCell`. Keeps other texts, which the API rejects with a reason. */
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
