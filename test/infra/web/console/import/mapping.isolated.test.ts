import '../browser-globals.ts';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { RowOptions } from '../../../../../infra/transfer/rows.ts';
import { ownFields } from '../../../../../infra/web/console/own-fields.ts';

// lib/ reads the fields on import.
process.env.FIELDS_FILE = join(process.cwd(), 'test/setup/own-fields.json');
const { findMappingIssue, findOrder, findUnstored, guessMapping, listFields, previewCell, toRowOptions } = await import(
  '../../../../../infra/web/console/import/mapping.ts'
);
const { readColumns } = await import('../../../../../infra/web/console/import/import-file.ts');
const { readRows } = await import('../../../../../infra/transfer/rows.ts');

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

test.each([
  ['ids of this service', ['01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23', ''], 'id'],
  ['no ids', ['', ''], ''],
  ['an id of another service', ['01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23', '17'], ''],
  ['random ids', ['9b2c5f0e-1d3a-4c6b-8e7f-0a1b2c3d4e5f'], ''],
])('a column id with %s: %j is mapped to "%s"', (_, ids, field) => {
  const rows = ids.map((id, at) => ({ line: at + 2, cells: [id, 'Ada', 'ada@example.org'] }));
  expect(guessMapping({ ...sample(['id', 'name', 'email']), rows })).toEqual([field, 'name', 'email']);
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

test('CSV columns may have parts of a name, and NDJSON members may have posts', () => {
  const common = [
    { value: 'name', label: 'Name' },
    { value: 'email', label: 'Email' },
    { value: 'memberNumber', label: 'Member number' },
    { value: 'id', label: 'Id' },
  ];
  expect(listFields({ format: 'CSV' })).toEqual([
    ...common,
    { value: 'name.first', label: 'First name' },
    { value: 'name.last', label: 'Last name' },
  ]);
  expect(listFields({ format: 'NDJSON' })).toEqual([...common, { value: 'posts', label: 'Posts' }]);
});

test('a mapping with a part of the name twice names the part', () => {
  expect(findMappingIssue(['email', 'name.first', 'name.first'])).toBe(
    'Two columns contain First name. Leave one out.',
  );
});

test('the preview shows the joined name in the column of the first name', () => {
  const mapping = ['name.last', 'email', 'name.first'];
  const cells = ['Lovelace', 'ada@example.org', 'Ada'];
  expect(cells.map((_, at) => previewCell(cells, at, mapping, {}))).toEqual([undefined, undefined, 'Ada Lovelace']);
  expect(previewCell(cells, 0, ['name.last', 'email', ''], {})).toBe('Lovelace');
});

test('the preview shows a value that the import converts', () => {
  const mapping = ['birthday', 'isStaff', '', 'name', 'birthday'];
  const cells = ['3/4/1980', 'ja', '3/4/1980', 'ja', ''];
  const preview = (values = {}) => cells.map((_, at) => previewCell(cells, at, mapping, values));
  expect(preview({ local: { dateOrder: 'dmy' } })).toEqual(['1980-04-03', 'true', undefined, undefined, undefined]);
  expect(preview({ local: { dateOrder: 'mdy' } })[0]).toBe('1980-03-04');
  expect(preview()).toEqual(cells.map(() => undefined));
});

test.each([
  [['3/4/1980', '5/6/1990'], 'ambiguous'],
  [['3/4/1980', '31/6/1990'], 'dmy'],
  [['3/4/1980', '6/31/1990'], 'mdy'],
  [['1980-04-03', ''], undefined],
])('the dates %j have the order %s', (dates, order) => {
  const rows = dates.map((date, at) => ({ line: at + 2, cells: ['31/12/1980', date] }));
  expect(findOrder({ ...sample(['name', 'birthday']), rows }, ['name', 'birthday'])).toBe(order);
});

test('the dates may begin after the rows that the dialog shows', async () => {
  const rows = Array.from({ length: 100 }, (_, at) => `Person ${at},${at < 99 ? '' : '3/4/1980'}\n`);
  const file = new File(['name,birthday\n', ...rows], 'users.csv');
  expect(findOrder(await readColumns({ file, text: {} }), ['name', 'birthday'])).toBe('ambiguous');
});

test('columns are mapped by position, members by name', () => {
  const mapping = ['email', 'name', ''];
  expect(toRowOptions(sample(['Text', 'Text', 'id']), mapping)).toEqual({ fields: mapping });
  expect(toRowOptions(sample(['E-Mail', 'Who', 'id'], 'NDJSON'), mapping)).toEqual({
    map: new Map([
      ['E-Mail', 'email'],
      ['Who', 'name'],
    ]),
    ignore: new Set(['*', 'id']),
    timesUnstored: expect.any(Function),
  });
});

async function readAll(text: string, options: RowOptions) {
  const rows = [];
  for await (const row of readRows(new Blob([text]).stream(), options)) rows.push(row.issues ?? row.user);
  return rows;
}

test('an unknown member that the sample lacks is left out', async () => {
  const options = toRowOptions(sample(['Who', 'email'], 'NDJSON'), ['name', 'email']);
  const lines = '{"Who":"Ada","email":"ada@example.org"}\n{"Who":"Grace","email":"grace@example.org","legacyId":7}\n';
  expect(await readAll(lines, options)).toEqual([
    { name: 'Ada', email: 'ada@example.org' },
    { name: 'Grace', email: 'grace@example.org' },
  ]);
});

test('a line that is an array adds no members, and only its row is invalid', async () => {
  const lines = '{"Who":"Ada","email":"ada@example.org"}\n["x"]\n';
  const found = await readColumns({ file: new File([lines], 'users.ndjson'), text: {} });
  expect(found.columns).toEqual(['Who', 'email']);
  expect(await readAll(lines, toRowOptions(found, ['name', 'email']))).toEqual([
    { name: 'Ada', email: 'ada@example.org' },
    [{ message: 'The line must be a JSON object' }],
  ]);
});

test('a member that the file has no longer stops the import before its first row', async () => {
  const options = toRowOptions(sample(['Who', 'email', 'Tarif'], 'NDJSON'), ['name', 'email', 'plan']);
  const line = '{"Who":"Ada","email":"ada@example.org"}\n';
  await expect(readAll(line, options)).rejects.toThrow('No row has a member named "Tarif"');
});

test('a value for all users applies only while no column contains the field', async () => {
  const columns = sample(['name', 'email', 'Tarif']);
  const rows = 'name,email,Tarif\nAda,ada@example.org,pro\nGrace,grace@example.org,\n';
  const readPlans = async (mapping: string[]) =>
    readAll(rows, toRowOptions(columns, mapping, { defaults: new Map([['plan', 'team']]) }));
  expect(await readPlans(['name', 'email', ''])).toMatchObject([{ plan: 'team' }, { plan: 'team' }]);
  expect(await readPlans(['name', 'email', 'plan'])).toEqual([
    { name: 'Ada', email: 'ada@example.org', plan: 'pro' },
    { name: 'Grace', email: 'grace@example.org' },
  ]);
});

test.each([
  [
    ['name', 'email', 'createdAt', 'Updated at', 'version', 'notes'],
    ['createdAt', 'Updated at', 'version'],
  ],
  [['name', 'email', 'id'], []],
])('columns with times that the APIs do not store: %j', (columns, unstored) => {
  expect(findUnstored(sample(columns), guessMapping(sample(columns)))).toEqual(unstored);
  expect(findUnstored(sample(columns), ['name', 'email', 'memberNumber', 'memberNumber', 'x'])).toEqual([]);
});

test('times that the first rows of an NDJSON file lack stop its import', async () => {
  const options = toRowOptions(sample(['name', 'email'], 'NDJSON'), ['name', 'email']);
  const row = { name: 'Ada', email: 'ada@example.org', createdAt: '2019-05-01T12:00:00Z' };
  await expect(readAll(JSON.stringify(row), options)).rejects.toThrow('The APIs do not store createdAt');
});
