import type { RowOptions } from '../../../transfer/rows.ts';
import type { Sample } from '../../../transfer/sample.ts';
import { labelMember, listMembers } from '../own-fields.ts';

/** The field of each column, by their order; empty for a column that is left out. */
export type Mapping = readonly string[];

/** Names of columns in files of other programs. */
const SYNONYMS: Record<string, readonly string[]> = {
  name: ['fullname', 'displayname', 'realname', 'person', 'customer', 'user'],
  email: ['mail', 'emailaddress', 'mailaddress', 'primaryemail', 'workemail'],
};

const MAX_LETTERS = 40;

/** "E-Mail" and "e_mail" are the same. */
const simplify = (name: string): string =>
  name
    .slice(0, MAX_LETTERS)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The fields that a column can stand for. The API makes ids and times itself. */
export const listFields = ({ format }: Pick<Sample, 'format'>): { value: string; label: string }[] => [
  ...listMembers().map((name) => ({ value: name, label: labelMember(name) })),
  ...(format === 'NDJSON' ? [{ value: 'posts', label: 'Posts' }] : []),
];

/** Guesses fields by the names of columns: exact names first, so that "Name" stays a name beside "Display name". */
export function guessMapping(sample: Sample): Mapping {
  const fields = listFields(sample).map(({ value }) => value);
  const mapping = sample.columns.map(() => '');
  const isFree = (field: string) => !mapping.includes(field);
  for (const names of [(field: string) => [simplify(field)], (field: string) => SYNONYMS[field] ?? []])
    for (const [at, column] of sample.columns.entries()) {
      const field = fields.find((field) => isFree(field) && names(field).includes(simplify(column)));
      if (field && !mapping[at]) mapping[at] = field;
    }
  return mapping;
}

/** Returns what has to be chosen before rows can be checked. */
export function findMappingIssue(mapping: Mapping): string | undefined {
  const missing = ['name', 'email'].filter((field) => !mapping.includes(field)).map(labelMember);
  if (missing.length > 0) return `Choose the column of ${missing.join(' and of ')}.`;
  const twice = mapping.find((field, at) => field && mapping.indexOf(field) < at);
  return twice && `Two columns stand for ${labelMember(twice)}. Leave one out.`;
}

/** Columns of CSV are mapped by their position, as their names may repeat; members of NDJSON by their names. */
export function toRowOptions({ format, columns }: Sample, mapping: Mapping): RowOptions {
  if (format === 'CSV') return { fields: mapping };
  const pairs = columns.map((column, at): [string, string] => [column, mapping[at] ?? '']);
  return {
    map: new Map(pairs.filter(([, field]) => field)),
    ignore: new Set(pairs.filter(([, field]) => !field).map(([column]) => column)),
  };
}
