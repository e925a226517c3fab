import { environments as declared } from './environments.ts';
import { type EnvironmentSettings, type Environments, readSettings, SettingError, type Settings } from './settings.ts';

export type Environment = { name: string; values: EnvironmentSettings };

/** `npm run deploy` deploys it, and commands on this machine take its settings. */
export const DEFAULT_ENVIRONMENT = 'default';

/** Returns all environments. If the variable ENVIRONMENT is set, returns only the environment of that name. Throws SettingError. */
export function listEnvironments(environments = declared): Environment[] {
  const { ENVIRONMENT: chosen } = process.env;
  return chosen
    ? [findEnvironment(environments)]
    : Object.entries(environments).map(([name, values]) => ({ name, values }));
}

/** Returns `default`, or the environment that the variable ENVIRONMENT names. Throws SettingError. */
export function findEnvironment(environments = declared): Environment {
  const name = process.env.ENVIRONMENT || DEFAULT_ENVIRONMENT;
  const values = Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (!values)
    throw new SettingError(
      `The variable ENVIRONMENT is ${name}; the environments are ${Object.keys(environments).join(', ')}.`,
    );
  return { name, values };
}

/** Reads the settings of an environment. Settings of the command line replace them. Throws SettingError. */
export const readEnvironment = ({ name, values }: Environment, commandLine: Record<string, unknown> = {}): Settings =>
  namingEnvironment(name, () => readSettings({ ...values, ...commandLine }));

/** Adds the name of the environment to the sentence of an error that `read` throws. */
export function namingEnvironment<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error) error.message = `Environment ${name}: ${error.message}`;
    throw error;
  }
}

/** A deploy of one environment must not replace the stack of another one. Throws SettingError. */
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
          `The environments ${place.name} and ${other.name} could be the same stack ${place.stackName}: give one of them another stackName, or both an account or a region.`,
        );
}

/** Credentials decide on an account or a region that is not given. */
const mayBeSame = (one: string | undefined, other: string | undefined) => !one || !other || one === other;
