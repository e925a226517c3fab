import type { Key } from '../../dynamodb/keys.ts';
import { dropIgnorable, normalizeText } from '../../input/text.ts';
import { truncate } from '../../users/entry-keys.ts';
import { type KeyCount, MAX_FILTER_LENGTH, MAX_ITEMS, type OwnField } from '../../users/fields/declaration.ts';

// Separate from entries.ts, which loads the deployed declarations: infra/ validates declarations with these limits
// before a deploy.

/** `value` comes from `createFilterText`. */
export const filterPartition = (field: string, value: string): string => `LIST#${field}=${value}`;

export const sortPartition = (name: string): string => `LIST#${name}`;

export const isListKey = ({ pk }: Key): boolean => pk.startsWith('LIST#');

/** Returns the name of the partition's list: `plan=` for `LIST#plan=pro`, `name` for `LIST#name`. */
export const parseListName = (pk: string): string => /^LIST#(\w+=?)/.exec(pk)?.[1] ?? '';
export const filterListName = (field: string): string => `${field}=`;

/** Names the member of GraphQL's filter that holds the range of a field. */
export const rangeName = (field: string): string => `${field}Range`;

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
const encodeText = (text: string): string => truncate(normalizeText(truncate(text, MAX_NORMALIZED_LENGTH)));

/** Characters that are normalized, as many as a name has. Normalizing takes quadratic time for combining marks. */
const MAX_NORMALIZED_LENGTH = 256;

/** IEEE 754 numbers sort like their bits after inverting the sign bit of positive and all bits of negative numbers. */
function encodeNumber(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const bits = view.getBigUint64(0);
  const sortable = value < 0 ? BigInt.asUintN(64, ~bits) : bits | SIGN_BIT;
  return sortable.toString(16).padStart(16, '0').replace(/0+$/, '');
}

const SIGN_BIT = 1n << 63n;

/** Begins the sort keys of users without a value. */
export const WITHOUT_VALUE = '2';
const WITH_VALUE = '1';

/** Users with equal texts sort by creation time. */
export const formatSortText = (text: string | undefined): string =>
  text === undefined ? WITHOUT_VALUE : WITH_VALUE + text;

export function countListKeys(fields: readonly OwnField[]): KeyCount[] {
  const sorted = fields.filter(({ sort }) => sort).map(({ name }) => name);
  return [
    { count: 1, source: 'sorting by name' },
    ...fields
      .filter(({ filter }) => filter)
      .map((field) => ({ count: countFilterEntries(field), source: `the filter ${field.name}` })),
    ...fields
      .filter(({ type }) => type === 'membership')
      .map((field) => ({ count: countFilterEntries(field), source: 'the setting maxGroups' })),
    { count: sorted.length, source: `sorting by ${sorted.join(', ')}` },
  ];
}
