import { countListKeys } from '../features/filters/keys.ts';
import { countSearchKeys } from '../features/search/text.ts';
import type { OwnField } from './fields/declaration.ts';

// Separate from derived.ts, which loads the deployed field declarations. infra/ uses this file to check declarations
// before a deploy.

/**
 * Maximum claims and index entries of a user. An update that replaces all of them deletes 49 items, puts 49 and writes
 * the user: 99 items. A transaction has at most 100.
 */
export const MAX_DERIVED_KEYS = 49;

/** Maximum keys of a user from one source. `source` completes the message "20 for …". */
export type KeyCount = { count: number; source: string };

/** One counter for each function in `sources` of derived.ts. */
const counters: readonly ((fields: readonly OwnField[]) => KeyCount[])[] = [
  countClaims,
  countSearchKeys,
  countListKeys,
];

export const countDerivedKeys = (fields: readonly OwnField[]): KeyCount[] =>
  counters.flatMap((count) => count(fields)).filter(({ count }) => count > 0);

function countClaims(fields: readonly OwnField[]): KeyCount[] {
  const names = fields.filter(({ unique }) => unique).map(({ name }) => name);
  return [
    { count: 1, source: 'the address' },
    { count: names.length, source: `the unique fields ${names.join(', ')}` },
  ];
}
