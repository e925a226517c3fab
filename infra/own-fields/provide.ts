import { existsSync, readFileSync } from 'node:fs';
import { environment } from '../../lib/environment.ts';
import { settings, toVariableName } from '../settings.ts';
import { FieldsError, readFields } from './declarations.ts';
import type { FieldDeclarations } from './rules.ts';

const CDK_FILE = 'cdk.json';

/** These settings are on unless they are turned off. */
const SWITCHES = ['sortByName', 'domainSearch'] as const;

/**
 * Gives the functions the fields that a file declares, else those of the context in cdk.json, and the settings of `SWITCHES`:
 * they decide which items are derived from users. Call this before anything of lib/ that knows fields is imported. Throws a
 * FieldsError.
 */
export function provideOwnFields(given: string | undefined): void {
  const fields = given === undefined ? readContextFields() : readFields(readJson(given));
  environment.readOwnFields = () => fields;
  const context = readContext();
  for (const name of SWITCHES) {
    const { data: isOn } = settings.shape[name].safeParse(context[name] === '' ? undefined : context[name]);
    if (isOn === false) process.env[toVariableName(name)] ??= 'off';
  }
}

/** Returns whether a file declares the fields, even if it declares none. Apps that use the construct declare them in code. */
export const hasFieldsDeclared = (given: string | undefined): boolean =>
  given !== undefined || readContext().fields !== undefined;

/** An empty text is no setting. */
const readContextFields = (): FieldDeclarations => readFields(readContext().fields || {});

function readContext(): Record<string, unknown> {
  if (!existsSync(CDK_FILE)) return {};
  const { context = {} } = readJson(CDK_FILE) as { context?: Record<string, unknown> };
  return context;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new FieldsError(`The fields of ${file} cannot be read: ${(error as Error).message}`);
  }
}
