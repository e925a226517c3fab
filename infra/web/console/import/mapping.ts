import { findFieldType } from '../../../transfer/cells.ts';
import { type DateOrder, findDateOrder, normalizeLocal } from '../../../transfer/local-values.ts';
import { isMadeId, joinName, NAME_PARTS, type RowOptions, TIME_FIELDS } from '../../../transfer/rows.ts';
import type { Sample } from '../../../transfer/sample.ts';
import { labelMember, listMembers } from '../own-fields.ts';

/** An empty name skips the column. */
export type Mapping = readonly string[];

/** Names that other programs use, after `simplify`. */
const SYNONYMS: Record<string, readonly string[]> = {
  name: ['fullname', 'displayname', 'realname', 'person', 'customer', 'user'],
  'name.first': ['firstname', 'givenname', 'forename', 'vorname', 'prenom', 'nombre', 'nome', 'imie'],
  'name.last': [
    'lastname',
    'surname',
    'familyname',
    'nachname',
    'familienname',
    'nom',
    'apellido',
    'apellidos',
    'cognome',
  ],
  email: ['mail', 'emailaddress', 'mailaddress', 'primaryemail', 'workemail'],
};

const LABELS: Record<string, string> = { id: 'Id', 'name.first': 'First name', 'name.last': 'Last name' };

export type ValueOptions = Pick<RowOptions, 'local' | 'defaults'>;

const MAX_LETTERS = 40;

/** "E-Mail" and "e_mail" become equal. */
const simplify = (name: string): string =>
  name
    .slice(0, MAX_LETTERS)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

export const listFields = ({ format }: Pick<Sample, 'format'>): { value: string; label: string }[] => [
  ...listMembers().map((name) => ({ value: name, label: labelMember(name) })),
  { value: 'id', label: 'Id' },
  ...(format === 'NDJSON'
    ? [{ value: 'posts', label: 'Posts' }]
    : NAME_PARTS.map((value) => ({ value, label: LABELS[value] ?? value }))),
];

/** Exact matches come first: a column "Name" wins over "Display name". Skips ids of another service. */
export function guessMapping(sample: Sample): Mapping {
  const fields = listFields(sample).map(({ value }) => value);
  const mapping = sample.columns.map(() => '');
  const isFree = (field: string) =>
    !mapping.includes(field) && !(NAME_PARTS.includes(field) && mapping.includes('name'));
  for (const names of [(field: string) => [simplify(field)], (field: string) => SYNONYMS[field] ?? []])
    for (const [at, column] of sample.columns.entries()) {
      const field = fields.find((field) => isFree(field) && names(field).includes(simplify(column)));
      if (field && !mapping[at] && (field !== 'id' || hasMadeIds(sample, at))) mapping[at] = field;
    }
  return mapping;
}

const hasMadeIds = ({ rows }: Sample, at: number): boolean => {
  const ids = rows.map(({ cells }) => cells[at]?.trim() ?? '').filter(Boolean);
  return ids.length > 0 && ids.every(isMadeId);
};

/** Returns unmapped columns with times or versions, such as `created_at`. */
export const findUnstored = ({ columns }: Pick<Sample, 'columns'>, mapping: Mapping): string[] =>
  columns.filter((column, at) => !mapping[at] && TIME_FIELDS.map(simplify).includes(simplify(column)));

export function findMappingIssue(mapping: Mapping): string | undefined {
  const hasParts = NAME_PARTS.some((part) => mapping.includes(part));
  if (hasParts && mapping.includes('name')) return 'One column has the whole name. Leave out the first and last names.';
  const missing = ['name', 'email']
    .filter((field) => !mapping.includes(field) && !(field === 'name' && hasParts))
    .map(labelMember);
  if (missing.length > 0) return `Choose the column of ${missing.join(' and of ')}.`;
  const twice = mapping.find((field, at) => field && mapping.indexOf(field) < at);
  return twice && `Two columns contain ${LABELS[twice] ?? labelMember(twice)}. Leave one out.`;
}

/** CSV column names may repeat, so the position counts. */
export function toRowOptions({ format, columns }: Sample, mapping: Mapping, values: ValueOptions = {}): RowOptions {
  if (format === 'CSV') {
    // The dialog hides the default of a field once a column has the field.
    const defaults = values.defaults && new Map([...values.defaults].filter(([field]) => !mapping.includes(field)));
    return { fields: mapping, ...values, ...(defaults ? { defaults } : {}) };
  }
  const pairs = columns.map((column, at): [string, string] => [column, mapping[at] ?? '']);
  return {
    map: new Map(pairs.filter(([, field]) => field)),
    // `*` skips unknown members that first occur after the sample. Members named like a field are still imported.
    ignore: new Set(['*', ...pairs.filter(([, field]) => !field).map(([column]) => column)]),
    timesUnstored: (names) =>
      `The APIs do not store ${names.join(', ')}, and the first rows lack it. Remove it from the file`,
  };
}

/** `ambiguous` if all dates are like 03/04/1980. */
export function findOrder({ rows }: Sample, mapping: Mapping): DateOrder | 'ambiguous' | undefined {
  const dates = mapping.flatMap((field, at) => (findFieldType(field) === 'date' ? [at] : []));
  const orders = rows.flatMap(({ cells }) => dates.map((at) => findDateOrder(cells[at] ?? '')));
  return orders.find((order) => order === 'dmy' || order === 'mdy') ?? orders.find(Boolean);
}

/**
 * Returns the value that the import reads from a cell, or undefined if the cell has the same text. The first name part
 * shows the whole name.
 */
export function previewCell(cells: readonly string[], at: number, mapping: Mapping, { local }: ValueOptions) {
  const [field = '', text = ''] = [mapping[at], cells[at]];
  const parts = NAME_PARTS.map((part) => mapping.indexOf(part)).filter((part) => part >= 0);
  if (NAME_PARTS.includes(field)) return at === parts[0] ? joinName(parts.map((part) => cells[part] ?? '')) : undefined;
  if (field === '' || text === '' || !local) return undefined;
  const stored = normalizeLocal(findFieldType(field), text, local);
  return stored === text ? undefined : stored;
}
