import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  findEnvironment,
  listEnvironments,
  readEnvironment,
  requireSeparateStacks,
} from '../../../infra/settings/environment.ts';
import { environments } from '../../../infra/settings/environments.ts';
import {
  type EnvironmentSettings,
  type Environments,
  readSettings,
  SettingError,
} from '../../../infra/settings/settings.ts';

const several: Environments = {
  default: { fields: { plan: { type: 'string' } } },
  staging: { stackName: 'Staging', tracing: true, corsOrigins: ['https://app.example'], throttleRate: 20 },
};
const [, staging = { name: '', values: {} }] = listEnvironments(several);

afterEach(() => void vi.unstubAllEnvs());

test('the environment of this repository has the default of every setting', () => {
  expect(Object.keys(environments)).toEqual(['default']);
  expect(readEnvironment(findEnvironment())).toEqual(readSettings({}));
});

test('settings of an environment have types', () => {
  expectTypeOf<EnvironmentSettings['throttleRate']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<EnvironmentSettings['canary']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<EnvironmentSettings['audience']>().toEqualTypeOf<string[] | undefined>();
  // @ts-expect-error No setting is named `atuh`.
  const unknown: Environments = { default: { atuh: 'none' } };
  // @ts-expect-error 'open' is not a value of `auth`.
  const invalid: Environments = { default: { auth: 'open' } };
  // @ts-expect-error Field declarations have no `maxlength`.
  const field: Environments = { default: { fields: { plan: { type: 'string', maxlength: 3 } } } };
  // @ts-expect-error `default` is missing. Commands on this machine need it.
  const missing: Environments = { staging: {} };
  expect([unknown, invalid, field].map(({ default: values }) => values).filter(isAccepted)).toEqual([]);
  expect(missing).toEqual({ staging: {} });
});

function isAccepted(values: EnvironmentSettings): boolean {
  try {
    return Boolean(readEnvironment({ name: 'default', values }));
  } catch {
    return false;
  }
}

test('an environment has its settings, and the default of the others', () => {
  expect(readEnvironment(staging)).toEqual({
    ...readSettings({}),
    stackName: 'Staging',
    tracing: true,
    corsOrigins: ['https://app.example'],
    throttleRate: 20,
  });
});

test('the command line replaces settings of the environment, or removes them', () => {
  const commandLine = {
    tracing: 'off',
    throttleRate: '30',
    stackName: '',
    corsOrigins: '',
    '@aws-cdk/core:flag': true,
  };
  expect(readEnvironment(staging, commandLine)).toEqual({ ...readSettings({}), throttleRate: 30 });
});

test.each([
  [{ throttleRate: 0 }, {}, /^Environment staging: The setting throttleRate is 0; expected: 1 to 10000/],
  [{}, { tracing: 'maybe' }, /^Environment staging: The setting tracing is "maybe"; expected: on or off/],
  [{}, { atuh: 'none' }, /^Environment staging: Unknown setting atuh; the settings are stackName, /],
  [{ auth: 'jwt' } as const, {}, /^Environment staging: The setting issuer is missing/],
])('an invalid setting in %j or %j is rejected with the name of the environment', (values, commandLine, message) => {
  const read = () => readEnvironment({ name: 'staging', values }, commandLine);
  expect(read).toThrow(SettingError);
  expect(read).toThrow(message);
});

describe('the variable ENVIRONMENT', () => {
  const listNames = () => listEnvironments(several).map(({ name }) => name);

  test('chooses one environment', () => {
    expect([listNames(), findEnvironment(several).name]).toEqual([['default', 'staging'], 'default']);
    vi.stubEnv('ENVIRONMENT', 'staging');
    expect([listNames(), findEnvironment(several).name]).toEqual([['staging'], 'staging']);
  });

  test.each(['production', 'toString'])('cannot be %s if there is no such environment', (name) => {
    vi.stubEnv('ENVIRONMENT', name);
    const message = `Unknown environment ${name} in the variable ENVIRONMENT; the environments are default, staging.`;
    expect(() => findEnvironment(several)).toThrow(new SettingError(message));
    expect(listNames).toThrow(message);
  });
});

describe('two environments', () => {
  const [account, region] = ['111111111111', 'eu-west-1'];

  test.each<[EnvironmentSettings, EnvironmentSettings]>([
    [{}, {}],
    [{ account }, {}],
    [{ account, region }, { account }],
    [
      { stackName: 'Users', region },
      { stackName: 'Users', region },
    ],
  ])('with the settings %j and %j are rejected, as a deploy could replace the stack of the other one', (one, other) => {
    const stack = one.stackName ?? 'UserManagement';
    expect(() => requireSeparateStacks({ default: one, production: other })).toThrow(
      `The environments default and production could be the same stack ${stack}: `,
    );
  });

  test.each<[EnvironmentSettings, EnvironmentSettings]>([
    [{}, { stackName: 'Production' }],
    [{ account }, { account: '222222222222' }],
    [{ region }, { region: 'us-east-1' }],
  ])('with the settings %j and %j are accepted', (one, other) => {
    expect(() => requireSeparateStacks({ default: one, production: other })).not.toThrow();
  });
});
