import { readFileSync } from 'node:fs';
import { environment } from '../../lib/environment.ts';
import { findEnvironment, namingEnvironment } from '../settings/environment.ts';
import {
  type EnvironmentSettings,
  GROUP_SETTINGS,
  type GroupSettings,
  readLocalSettings,
  SettingError,
  settings,
  toVariableName,
} from '../settings/settings.ts';
import { FieldsError, readFields } from './declarations.ts';
import { addMemberships, findMembershipIssue } from './memberships.ts';
import type { FieldDeclarations } from './rules.ts';

/** Settings that are on by default, and determine which index and search entries a write creates. */
const SWITCHES = ['sortByName', 'domainSearch'] as const;

/**
 * Makes lib/ use the own fields of the given file, or of the environment. Call this before importing modules of lib/.
 * Throws FieldsError or SettingError.
 */
export function provideOwnFields(given: string | undefined): void {
  const { name, values } = findEnvironment();
  const declared =
    given === undefined ? namingEnvironment(name, () => readFields(values.fields ?? {})) : readFields(readJson(given));
  const fields = addMemberships(declared, readGroupSettings(values, declared));
  environment.readOwnFields = () => fields;
  for (const name of SWITCHES)
    if (settings.shape[name].safeParse(values[name]).data === false) process.env[toVariableName(name)] ??= 'off';
}

/** Variables such as MAX_GROUPS take precedence. Throws SettingError. */
function readGroupSettings(values: EnvironmentSettings, fields: FieldDeclarations): GroupSettings {
  const given = GROUP_SETTINGS.flatMap((name) => {
    const value = process.env[toVariableName(name)] || values[name];
    return value === undefined ? [] : [[name, value]];
  });
  const groups = readLocalSettings(Object.fromEntries(given));
  const issue = findMembershipIssue(fields, groups);
  if (issue) throw new SettingError(issue);
  return groups;
}

/** True even for an empty set. A team's CDK app declares fields in its own code, which commands cannot read. */
export const hasFieldsDeclared = (given: string | undefined): boolean =>
  given !== undefined || findEnvironment().values.fields !== undefined;

/** Returns the text, because `readFields` looks for repeated names in it. */
function readJson(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new FieldsError(`Cannot read the fields in ${file}: ${(error as Error).message}`);
  }
}
