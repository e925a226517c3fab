import '../browser-globals.ts';
import { beforeEach, expect, test } from 'vitest';
import { findMappingIssue, guessMapping, toRowOptions } from '../../../../../infra/web/console/import/mapping.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';

beforeEach(() => ownFields.set(() => [{ name: 'memberNumber', type: 'string' }]));

const sample = (columns: string[], format: 'CSV' | 'NDJSON' = 'CSV') => ({ format, columns, rows: [] });

test.each([
  [
    ['Name', 'EMAIL', 'memberNumber'],
    ['name', 'email', 'memberNumber'],
  ],
  [
    ['Full Name', 'E-Mail', 'member_number'],
    ['name', 'email', 'memberNumber'],
  ],
  [
    ['Mail address', 'Display name', 'Member number'],
    ['email', 'name', 'memberNumber'],
  ],
  [
    ['Display name', 'name', 'Mail', 'email'],
    ['', 'name', '', 'email'],
  ],
  // The API generates ids and times.
  [
    ['id', 'name', 'email', 'createdAt', 'version', 'posts'],
    ['', 'name', 'email', '', '', ''],
  ],
  [
    ['', 'Prénom', 'Name', 'Name'],
    ['', '', 'name', ''],
  ],
  [
    ['Vorname', 'Nachname', 'E-Mail'],
    ['name.first', 'name.last', 'email'],
  ],
])('columns %j are mapped to %j', (columns, fields) => {
  expect(guessMapping(sample(columns))).toEqual(fields);
});

test('only NDJSON has posts', () => {
  expect(guessMapping(sample(['name', 'email', 'posts'], 'NDJSON'))).toEqual(['name', 'email', 'posts']);
});

test.each([
  [['', 'memberNumber'], 'Choose the column of Name and of Email.'],
  [['name', 'email', 'email'], 'Two columns contain Email. Leave one out.'],
  [['email', 'name', '', ''], undefined],
  [['email', 'name.first', 'name.last'], undefined],
  [['email', 'name', 'name.last'], 'One column has the whole name. Leave out the first and last names.'],
])('the mapping %j has the issue: %s', (mapping, issue) => {
  expect(findMappingIssue(mapping)).toBe(issue);
});

test('columns are mapped by position, members by name', () => {
  const mapping = ['email', 'name', ''];
  expect(toRowOptions(sample(['Text', 'Text', 'id']), mapping)).toEqual({ fields: mapping });
  expect(toRowOptions(sample(['E-Mail', 'Who', 'id'], 'NDJSON'), mapping)).toEqual({
    map: new Map([
      ['E-Mail', 'email'],
      ['Who', 'name'],
    ]),
    ignore: new Set(['id']),
  });
});
