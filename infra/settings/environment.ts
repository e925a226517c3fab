import { environments as declared } from './environments.ts';
import { type EnvironmentSettings, type Environments, readSettings, SettingError, type Settings } from './settings.ts';

export type Environment = { name: string; values: EnvironmentSettings };

/** Deployed by default. Local commands use its settings. */
export const DEFAULT_ENVIRONMENT = 'default';

/** Returns all environments, or only the one named by the variable ENVIRONMENT. Throws SettingError. */
export function listEnvironments(environments = declared): Environment[] {
  const { ENVIRONMENT: chosen } = process.env;
  return chosen
    ? [findEnvironment(environments)]
    : Object.entries(environments).map(([name, values]) => ({ name, values }));
}

/** Returns the environment named by the variable ENVIRONMENT, or else `default`. Throws SettingError. */
export function findEnvironment(environments = declared): Environment {
  const name = process.env.ENVIRONMENT || DEFAULT_ENVIRONMENT;
  const values = Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (!values)
    throw new SettingError(
      `Unknown environment ${name} in the variable ENVIRONMENT; the environments are ${Object.keys(environments).join(', ')}.`,
    );
  return { name, values };
}

/** Settings of the command line take precedence. Throws SettingError. */
export const readEnvironment = ({ name, values }: Environment, commandLine: Record<string, unknown> = {}): Settings =>
  namingEnvironment(name, () => readSettings({ ...values, ...commandLine }));

export function namingEnvironment<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) error.message = `Environment ${name}: ${error.message}`;
    throw error;
  }
}

/** Throws SettingError if two environments could deploy to the same stack. */
export function requireSeparateStacks(environments: Environments = declared): void {
  const places = Object.entries(environments).map(([name, { stackName = 'UserManagement', account, region }]) => ({
    name,
    stackName,
    account,
    region,
  }));
  for (const [index, place] of places.entries())
    for (const other of places.slice(index + 1))
      if (
        place.stackName === other.stackName &&
        mayBeSame(place.account, other.account) &&
        mayBeSame(place.region, other.region)
      )
        throw new SettingError(
          `The environments ${place.name} and ${other.name} could be the same stack ${place.stackName}: set another stackName for one of them, or an account or region for both.`,
        );
}

/** An unset account or region comes from the credentials, so it may equal any other. */
const mayBeSame = (one: string | undefined, other: string | undefined) => !one || !other || one === other;
