import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import {
  createFilterText,
  encodeSortValue,
  filterPartition,
  formatSortText,
  parseListName,
  sortPartition,
  WITHOUT_VALUE,
} from '../../../../lib/features/filters/keys.ts';
import { normalizeText } from '../../../../lib/input/text.ts';
import { formatEntryKey, parseEntryKey } from '../../../../lib/users/entry-keys.ts';
import { MAX_FILTER_LENGTH } from '../../../../lib/users/fields/declaration.ts';
import { countRuns } from '../../../setup/seed.ts';

/** Compares UTF-8 bytes, like DynamoDB. */
const compareBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

type Value = string | number | undefined;

/** Sorts values by sort key. Each value gets a user id, and the first value's user is the oldest. */
function sortByKey<Sorted extends Value>(values: Sorted[]): Sorted[] {
  const users = values.map((value) => {
    const id = uuidv7();
    return { value, key: formatEntryKey(formatSortText(value === undefined ? undefined : encodeSortValue(value)), id) };
  });
  return users.toSorted((one, other) => compareBytes(one.key, other.key)).map(({ value }) => value);
}

/** Sorts values without keys. Equal values keep the creation order. Undefined comes last. */
const sortArray = <Sorted extends Value>(values: Sorted[], compare: (one: Sorted, other: Sorted) => number): Sorted[] =>
  values.toSorted((one, other) => {
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
    return compare(one, other);
  });

const optional = <Sorted>(value: fc.Arbitrary<Sorted>) => fc.option(value, { nil: undefined, freq: 4 });
const sortable = <Sorted>(value: fc.Arbitrary<Sorted>) => fc.array(optional(value), { maxLength: 30 });

const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -20, max: 20 }),
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.double({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, noNaN: true }),
  fc.constantFrom(0, -0, 0.5, -0.5, 1e-130, -1e-130),
);

test('sort keys of numbers sort like the numbers, and -0 equals 0', () => {
  fc.assert(
    fc.property(sortable(number), (values) => {
      // Compares texts, because toEqual would distinguish -0 from 0.
      const expected = sortArray(values, (one, other) => Number(one) - Number(other));
      expect(sortByKey(values).map(String)).toEqual(expected.map(String));
    }),
    { numRuns: countRuns(300) },
  );
  expect(encodeSortValue(-0)).toBe(encodeSortValue(0));
});

const word = fc.constantFrom(
  'Ada',
  'ada',
  'Édith',
  'edith',
  'Zoë',
  'Ångström',
  'Müller',
  '山田',
  '李',
  '김',
  '𠮷',
  '🙂',
  '-',
  '',
);
const text = fc.oneof(
  fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
  fc.string({ unit: 'grapheme' }),
);

test('sort keys of texts sort like the texts without case and accents', () => {
  const fold = (value: Value) => [...normalizeText(String(value))].slice(0, 64).join('');
  fc.assert(
    fc.property(sortable(text), (values) => {
      expect(sortByKey(values)).toEqual(sortArray(values, (one, other) => compareBytes(fold(one), fold(other))));
    }),
    { numRuns: countRuns(300) },
  );
});

test('a text comes before the texts that begin with it', () => {
  expect(sortByKey(['Ada King', 'adalbert', 'Ada', undefined, 'ÁDA-K'])).toEqual([
    'Ada',
    'Ada King',
    'ÁDA-K',
    'adalbert',
    undefined,
  ]);
});

const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });

test.each<[string, (date: Date) => string]>([
  ['dates', (date) => date.toISOString().slice(0, 10)],
  ['times', (date) => date.toISOString()],
])('sort keys of %s sort by time', (_, format) => {
  fc.assert(
    fc.property(sortable(time.map(format)), (values) => {
      expect(sortByKey(values)).toEqual(
        sortArray(values, (one, other) => Date.parse(`${one}`) - Date.parse(`${other}`)),
      );
    }),
  );
});

test('sort keys with a value come before WITHOUT_VALUE, and those without a value begin with it', () => {
  fc.assert(
    fc.property(fc.oneof(text, number), (value) => {
      expect(
        compareBytes(formatEntryKey(formatSortText(encodeSortValue(value)), uuidv7()), WITHOUT_VALUE),
      ).toBeLessThan(0);
    }),
  );
  expect(formatEntryKey(formatSortText(undefined), uuidv7())).toMatch(new RegExp(`^${WITHOUT_VALUE}`));
});

test('a sort key contains its text and its user', () => {
  fc.assert(
    fc.property(optional(fc.oneof(text, number)), (value) => {
      const position = { text: formatSortText(value === undefined ? undefined : encodeSortValue(value)), id: uuidv7() };
      expect(parseEntryKey(formatEntryKey(position.text, position.id))).toEqual(position);
    }),
  );
});

test("keys fit into DynamoDB's limits for any text", () => {
  // Characters that grow: NFKD expands the first to 18, NFC the second to three.
  for (const character of ['\ufdfa', '\u{1d160}', '\u{20bb7}', 'a\u0301\u0302']) {
    const name = character.repeat(256);
    expect(Buffer.byteLength(formatEntryKey(formatSortText(encodeSortValue(name)), uuidv7()))).toBeLessThan(1024);
    const longest = [...name].slice(0, MAX_FILTER_LENGTH).join('');
    const text = createFilterText(longest) ?? expect.fail('a filter text may have 64 characters of any length');
    expect(Buffer.byteLength(filterPartition('f'.repeat(50), text))).toBeLessThan(1024);
  }
});

test('a filter text keeps case and accents, and equates composed and decomposed characters', () => {
  expect(['Pro', 'pro', 'Zoe\u0308', 7, -0, true, '2026-01-31'].map(createFilterText)).toEqual([
    ...['Pro', 'pro', 'Zo\u00eb', '7', '0', 'true', '2026-01-31'],
  ]);
});

test.each(['a', '\u{20bb7}', '🙂'])('a filter text has up to 64 characters: %s', (character) => {
  expect(createFilterText(character.repeat(64))).toBe(character.repeat(64));
  expect(createFilterText(character.repeat(65))).toBeUndefined();
});

test.each(['a\tb', 'a\nb', '\u2028', '\ud800'])('%j has no filter text', (text) => {
  expect(createFilterText(text)).toBeUndefined();
});

test('parseListName returns the list of a partition', () => {
  expect(parseListName(filterPartition('plan', 'a=b#c'))).toBe('plan=');
  expect(parseListName(sortPartition('last_name'))).toBe('last_name');
});
