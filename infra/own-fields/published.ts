import { readFileSync, writeFileSync } from 'node:fs';
import { SettingError } from '../settings/settings.ts';
import type { FieldDeclarations } from './rules.ts';

const FILE = 'infra/own-fields/published.json';

const readPublishedTypes = (): Record<string, string> => JSON.parse(readFileSync(FILE, 'utf8'));

/**
 * Adds the types of `fields` to the file, and returns its name. Keeps removed fields, because the table may still
 * contain their values.
 */
export function publishTypes(fields: FieldDeclarations): string {
  requirePublishedTypes(fields);
  writeFileSync(FILE, `${JSON.stringify({ ...readPublishedTypes(), ...formatTypes(fields) }, null, 2)}\n`);
  return FILE;
}

/** Throws SettingError if a field has another type than in a release. The service would hide its stored values. */
export function requirePublishedTypes(fields: FieldDeclarations): void {
  const published = readPublishedTypes();
  for (const [name, type] of Object.entries(formatTypes(fields)))
    if (type !== (published[name] ?? type))
      throw new SettingError(
        `The field ${name} cannot have the type ${type}: its published type is ${published[name]} (${FILE}). Declare a field with another name.`,
      );
}

const formatTypes = (fields: FieldDeclarations): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, { type, list }]) => [name, list ? `list of ${type}` : type]));
