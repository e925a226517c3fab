import { expect, test } from 'vitest';
import { listIssues } from '../../../infra/own-fields/declarations.ts';
import { supportTable } from '../../setup/support-table.ts';

type Declared = Record<string, Record<string, unknown>>;

const many = (count: number, name: string, declaration: object): Declared =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, { type: 'string', ...declaration }]));
const listed = { list: true, maxLength: 9, filter: true };
const notes = (maxWords: number) => ({ notes: { type: 'string', search: { maxWords } } });

test('a message lists what needs room, and names the smallest change', () => {
  const tags = { type: 'string', list: true, maxItems: 30, filter: true };
  expect(listIssues({ tags, seat: { type: 'integer', unique: true }, ...notes(9) })).toEqual([
    'A user can have 54 derived items, but 49 fit: 1 for the address, 10 for the words of the name, 2 for the search for the address and its domain, 1 for the unique fields seat, 1 for sorting by name, 30 for the filter tags, 9 for the search field notes. The smallest change that fits: set maxItems of tags to 25.',
  ]);
});

test('a message says what search true shares', () => {
  const declared = { ...supportTable, tags: { type: 'string', list: true, maxItems: 16, filter: true } };
  expect(listIssues(declared)).toEqual([
    expect.stringMatching(
      /^A user can have 40 derived items, but 39 fit: .*, 2 for the search field phone, 2 for the search field company\. Fields with search true share at most 20 items, and leave 10 of 49 free\. The smallest change that fits: set maxItems of tags to 15\.$/,
    ),
  ]);
});

/** Changes the declarations as a message says. */
function change(declared: Declared, changes: string): Declared {
  const changed = structuredClone(declared);
  for (const text of changes.split(', ')) {
    const [, member = '', name = '', number] = /^\w+ (\S+) of (\w+)(?: to (\d+))?$/.exec(text) ?? [];
    const declaration = changed[name] ?? expect.fail(text);
    if (number === undefined) delete declaration[member];
    else if (member === 'search.maxWords') declaration.search = { maxWords: Number(number) };
    else declaration[member] = Number(number);
  }
  return changed;
}

test.each<[changes: string, declared: Declared]>([
  ['set maxItems of tags to 15', { ...supportTable, tags: { type: 'string', list: true, filter: true } }],
  ['set search.maxWords of notes to 18', { ...many(17, 'day', { sort: true }), ...notes(20) }],
  [
    'set maxItems of tags0 to 17',
    { ...many(1, 'tags', { ...listed, maxItems: 22 }), labels: { type: 'string', ...listed, maxItems: 18 } },
  ],
  [
    'set maxItems of tags0 to 5, set maxItems of tags1 to 6, set maxItems of tags2 to 6, set search.maxWords of notes0 to 6, set search.maxWords of notes1 to 6, set search.maxWords of notes2 to 6',
    { ...many(3, 'tags', listed), ...many(3, 'notes', { search: { maxWords: 20 } }) },
  ],
  [
    'set maxItems of sub to 3',
    {
      ...many(16, 'day', { sort: true, unique: true, maxLength: 9, self: 'read' }),
      sub: { type: 'string', list: true, subject: true, self: 'hidden' },
    },
  ],
  ['remove sort of day0', { ...many(18, 'day', { sort: true, unique: true, maxLength: 9 }) }],
])('to fit, it suffices to %s, but not less', (changes, declared) => {
  expect(listIssues(declared)).toEqual([
    expect.stringMatching(new RegExp(`The smallest change that fits: ${changes}\\.$`)),
  ]);
  expect(listIssues(change(declared, changes))).toEqual([]);
  const less = changes.replace(/(?<= to )\d+$/, (number) => `${Number(number) + 1}`);
  expect(listIssues(less === changes ? declared : change(declared, less))).not.toEqual([]);
});

test.each<[changes: string, declared: Declared]>([
  [
    'set search.maxWords of notes to 2',
    { ...many(24, 'day', { sort: true }), notes: { type: 'string', search: true } },
  ],
  [
    'set search.maxWords of notes to 2, set search.maxWords of nick0 to 2',
    { notes: { type: 'string', search: true }, ...many(11, 'nick', { search: true, maxLength: 9 }) },
  ],
])('fields with search true fit without sharing: %s', (changes, declared) => {
  expect(listIssues(declared)).toEqual([
    expect.stringMatching(new RegExp(`The smallest change that fits: ${changes}\\.$`)),
  ]);
  expect(listIssues(change(declared, changes))).toEqual([]);
});

test('a list keeps the items of its default and example', () => {
  const texts = Array.from({ length: 30 }, (_, at) => `${at}`);
  const tags = { type: 'string', ...listed, maxItems: 40 };
  expect(listIssues({ tags: { ...tags, example: texts }, ...notes(20) })).toEqual([
    expect.stringMatching(
      /The smallest change that fits: set maxItems of tags to 30, set search\.maxWords of notes to 5\.$/,
    ),
  ]);
});
