import type { Key } from '../../dynamodb/keys.ts';
import { dropIgnorable, normalizeText } from '../../input/text.ts';
import { type KeyCount, MAX_ITEMS, type OwnField } from '../../users/fields/declaration.ts';

// Separate from entries.ts, which loads the deployed declarations: infra/ validates declarations with these limits
// before a deploy.

/** Characters of a filter value, which is part of a partition key. */
export const MAX_FILTER_LENGTH = 64;

/** Characters of a sort value. Users with equal sort values sort by creation time. */
const MAX_SORT_LENGTH = 64;

/** `value` comes from `createFilterText`. */
export const filterPartition = (field: string, value: string): string => `LIST#${field}=${value}`;

export const sortPartition = (name: string): string => `LIST#${name}`;

export const isListKey = ({ pk }: Key): boolean => pk.startsWith('LIST#');

/** Returns the name of the partition's list: `plan=` for `LIST#plan=pro`, `name` for `LIST#name`. */
export const parseListName = (pk: string): string => /^LIST#(\w+=?)/.exec(pk)?.[1] ?? '';
export const filterListName = (field: string): string => `${field}=`;

const FORBIDDEN = /[\p{Cc}\u2028\u2029]/u;

/**
 * Returns the text that a filter compares. Case matters. Unicode composition (NFC) and invisible characters do not.
 * Undefined if the text is empty or too long, or if no write accepts it.
 */
export function createFilterText(value: string | number | boolean): string | undefined {
  const text = dropIgnorable(String(value));
  // Check the length first, because normalizing combining marks takes quadratic time.
  const isValid = text !== '' && [...text].length <= MAX_FILTER_LENGTH && text.isWellFormed() && !FORBIDDEN.test(text);
  return isValid ? text.normalize('NFC') : undefined;
}

export const countFilterEntries = ({ list, maxItems = MAX_ITEMS }: OwnField): number => (list ? maxItems : 1);

export const encodeSortValue = (value: string | number): string =>
  typeof value === 'number' ? encodeNumber(value) : encodeText(value);

/** Normalizes a text. Normalized dates and times still sort by time. */
const encodeText = (text: string): string =>
  truncate(normalizeText(truncate(text, MAX_NORMALIZED_LENGTH)), MAX_SORT_LENGTH);

/** Characters that are normalized, as many as a name has. Normalizing takes quadratic time for combining marks. */
const MAX_NORMALIZED_LENGTH = 256;

const truncate = (text: string, length: number): string => [...text].slice(0, length).join('');

/** IEEE 754 numbers sort like their bits after inverting the sign bit of positive and all bits of negative numbers. */
function encodeNumber(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const bits = view.getBigUint64(0);
  const sortable = value < 0 ? BigInt.asUintN(64, ~bits) : bits | SIGN_BIT;
  return sortable.toString(16).padStart(16, '0').replace(/0+$/, '');
}

const SIGN_BIT = 1n << 63n;

export const WITHOUT_VALUE = '2';
const WITH_VALUE = '1';

/** Separates text and id. Sorts before every character of a text: "Ada" comes before "Ada King". */
const ID_SEPARATOR = '\t';
const ID_LENGTH = 36;

export const formatSortKey = (text: string | undefined, userId: string): string =>
  `${text === undefined ? WITHOUT_VALUE : WITH_VALUE + text}${ID_SEPARATOR}${userId}`;

export function parseSortKey(sk: string): { text: string | undefined; id: string } {
  const text = sk.slice(1, -ID_LENGTH - ID_SEPARATOR.length);
  return { text: sk.startsWith(WITHOUT_VALUE) ? undefined : text, id: sk.slice(-ID_LENGTH) };
}

export function countListKeys(fields: readonly OwnField[]): KeyCount[] {
  const sorted = fields.filter(({ sort }) => sort).map(({ name }) => name);
  return [
    { count: 1, source: 'sorting by name' },
    ...fields
      .filter(({ filter }) => filter)
      .map((field) => ({ count: countFilterEntries(field), source: `the filter ${field.name}` })),
    { count: sorted.length, source: `sorting by ${sorted.join(', ')}` },
  ];
}
