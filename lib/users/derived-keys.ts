import { countListKeys } from '../features/filters/keys.ts';
import { countSearchKeys } from '../features/search/text.ts';
import type { KeyCount, OwnField } from './fields/declaration.ts';

// Separate from derived.ts, which loads the deployed declarations: infra/ checks declarations before a deploy.

/**
 * Maximum derived items of a user. An update that replaces all deletes 49 items, puts 49 and writes the user: 99 of the
 * 100 items of a transaction.
 */
export const MAX_DERIVED_KEYS = 49;

/** Counters of derived items, one per function in `sources` of derived.ts. */
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
