import { countListKeys } from '../features/filters/keys.ts';
import { ADDRESS_TEXTS, countTexts, MAX_FIELD_WORDS, MAX_NAME_TEXTS } from '../features/search/text.ts';
import { type KeyCount, MAX_ITEMS, type OwnField } from './fields/declaration.ts';

// Separate from derived.ts, which loads the deployed declarations: infra/ checks declarations before a deploy.

/**
 * Maximum derived items of a user. An update that replaces all deletes 49 items, puts 49 and writes the user: 99 of the
 * 100 items of a transaction.
 */
export const MAX_DERIVED_KEYS = 49;

/** Derived items that `"search": true` leaves free for groups, so that turning on groups changes no search entries. */
export const FREE_KEYS = 10;

/** Minimum texts of a field with `"search": true`, unless its values need fewer. */
const MIN_SHARE = 2;

/** Counts the derived items that each declaration can need. Each function in `sources` of derived.ts has counts here. */
export const countDerivedKeys = (fields: readonly OwnField[]): KeyCount[] =>
  [
    ...countFixedKeys(fields),
    ...listSearchFields(fields).map(({ name, texts }) => ({ count: texts, source: `the search field ${name}` })),
  ].filter(({ count }) => count > 0);

/** Maximum derived items. Declarations exceed it if the search fields that share the rest cannot get `MIN_SHARE` each. */
export const findRoom = (fields: readonly OwnField[]): number =>
  fields.some(isSharing)
    ? Math.min(
        MAX_DERIVED_KEYS - FREE_KEYS + Math.min(FREE_KEYS, countMemberships(fields)),
        countOthers(fields) + MAX_FIELD_WORDS,
      )
    : MAX_DERIVED_KEYS;

const countMemberships = (fields: readonly OwnField[]): number =>
  fields.find(({ type }) => type === 'membership')?.maxItems ?? 0;

/** `texts`: maximum search texts of all values of the field together. */
export type SearchField = { name: string; texts: number };

/** Fields with `"search": true` share the room that other declarations leave. */
export function listSearchFields(fields: readonly OwnField[]): SearchField[] {
  // Fields that need the fewest texts come first and leave the rest to the others.
  const sharing = fields.filter(isSharing).toSorted((one, other) => countTexts(one) - countTexts(other));
  const shares = new Map<string, number>();
  let left = findRoom(fields) - countOthers(fields);
  for (const [at, field] of sharing.entries()) {
    const even = Math.floor(left / (sharing.length - at));
    const texts = Math.min(countTexts(field), Math.max(even, MIN_SHARE));
    shares.set(field.name, texts);
    left -= texts;
  }
  return fields
    .filter(({ search }) => search)
    .map((field) => ({ name: field.name, texts: shares.get(field.name) ?? countMaxWords(field) }));
}

const isSharing = ({ search }: OwnField): boolean => search === true;

const countMaxWords = (field: OwnField): number =>
  typeof field.search === 'object' ? Math.min(field.search.maxWords, countTexts(field)) : 0;

const countOthers = (fields: readonly OwnField[]): number =>
  [...countFixedKeys(fields).map(({ count }) => count), ...fields.map(countMaxWords)].reduce(
    (sum, count) => sum + count,
  );

function countFixedKeys(fields: readonly OwnField[]): KeyCount[] {
  const unique = fields.filter((field) => field.unique);
  const claims = unique.reduce((sum, { list, maxItems = MAX_ITEMS }) => sum + (list ? maxItems : 1), 0);
  return [
    { count: 1, source: 'the address' },
    { count: MAX_NAME_TEXTS, source: 'the words of the name' },
    { count: ADDRESS_TEXTS, source: 'the search for the address and its domain' },
    { count: claims, source: `the unique fields ${unique.map(({ name }) => name).join(', ')}` },
    ...countListKeys(fields),
  ];
}
