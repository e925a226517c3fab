import { readFileSync, writeFileSync } from 'node:fs';
import { SettingError } from '../settings.ts';
import type { FieldDeclarations } from './rules.ts';

/** The types, by name, of all fields that a release has declared. */
const FILE = 'infra/own-fields/published.json';

const readPublishedTypes = (): Record<string, string> => JSON.parse(readFileSync(FILE, 'utf8'));

/** Fields that are no longer declared stay in the file, because their values stay in the table. Returns the file. */
export function publishTypes(fields: FieldDeclarations): string {
  requirePublishedTypes(fields);
  writeFileSync(FILE, `${JSON.stringify({ ...readPublishedTypes(), ...formatTypes(fields) }, null, 2)}\n`);
  return FILE;
}

/** Throws a SettingError if a field has another type than in a release, whose values would not be shown any more. */
export function requirePublishedTypes(fields: FieldDeclarations): void {
  const published = readPublishedTypes();
  for (const [name, type] of Object.entries(formatTypes(fields)))
    if (type !== (published[name] ?? type))
      throw new SettingError(
        `The field ${name} cannot have the type ${type}, because its published type is ${published[name]} (${FILE}): declare a field of another name.`,
      );
}

const formatTypes = (fields: FieldDeclarations): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, { type, list }]) => [name, list ? `list of ${type}` : type]));
