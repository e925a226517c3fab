import { readFileSync } from 'node:fs';
import { environment } from '../../lib/environment.ts';
import { findEnvironment, namingEnvironment } from '../environment.ts';
import { settings, toVariableName } from '../settings.ts';
import { FieldsError, readFields } from './declarations.ts';

/** These settings are on unless they are turned off. */
const SWITCHES = ['sortByName', 'domainSearch'] as const;

/**
 * Gives the functions the fields that a file declares, else those of the environment, and the settings of `SWITCHES`: they decide
 * which items are derived from users. Call this before anything of lib/ that knows fields is imported. Throws a FieldsError or a
 * SettingError.
 */
export function provideOwnFields(given: string | undefined): void {
  const { name, values } = findEnvironment();
  const fields =
    given === undefined ? namingEnvironment(name, () => readFields(values.fields ?? {})) : readFields(readJson(given));
  environment.readOwnFields = () => fields;
  for (const name of SWITCHES)
    if (settings.shape[name].safeParse(values[name]).data === false) process.env[toVariableName(name)] ??= 'off';
}

/** Returns whether fields are declared, even if none are. Apps that use the construct declare them in their own code. */
export const hasFieldsDeclared = (given: string | undefined): boolean =>
  given !== undefined || findEnvironment().values.fields !== undefined;

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new FieldsError(`The fields of ${file} cannot be read: ${(error as Error).message}`);
  }
}
