import { countListKeys } from '../features/filters/keys.ts';
import { countSearchKeys } from '../features/search/text.ts';
import type { OwnField } from './fields/declaration.ts';

// Separate from derived.ts, which loads the declarations: infra checks declarations before anything uses them.

/** The largest replacement deletes and puts this many keys beside the user: it fits into a transaction of 100 items. */
export const MAX_DERIVED_KEYS = 49;

/** The most keys that a user can have for one reason. `source` completes "20 for …". */
export type KeyCount = { count: number; source: string };

/** An entry for each function of `sources` in derived.ts: counts the keys that it derives at most, under declared fields. */
const counters: readonly ((fields: readonly OwnField[]) => KeyCount[])[] = [
  countClaims,
  countSearchKeys,
  countListKeys,
];

export const countDerivedKeys = (fields: readonly OwnField[]): KeyCount[] =>
  counters.flatMap((count) => count(fields)).filter(({ count }) => count > 0);

/** One claim of the address, and one of each unique value. */
function countClaims(fields: readonly OwnField[]): KeyCount[] {
  const names = fields.filter(({ unique }) => unique).map(({ name }) => name);
  return [
    { count: 1, source: 'the address' },
    { count: names.length, source: `the unique fields ${names.join(', ')}` },
  ];
}
