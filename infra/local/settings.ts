import { findEnvironment, namingEnvironment } from '../settings/environment.ts';
import {
  type LocalSettings,
  listChanged,
  localSettings,
  readLocalSettings,
  toVariable,
  toVariableName,
} from '../settings/settings.ts';
import type { Options } from './options.ts';

export const DEFAULT_WRITE_GROUP = 'users-write';

/** Settings that differ from the defaults: `applied` here, or `ignored` because they need AWS. */
export type AppliedSettings = { environment: string; corsOrigins: string[]; applied: string[]; ignored: string[] };

const WITH_VARIABLE = (Object.keys(localSettings.shape) as (keyof LocalSettings)[]).filter(
  (name) => localSettings.shape[name].meta()?.variable,
);

/** Have an effect with tokens only. Their variables begin with AUTH_. */
export const TOKENS = [
  'readScope',
  'writeScope',
  'listScope',
  'historyScope',
  'eraseScope',
  'selfScope',
  'groupsClaim',
  'readGroup',
  'writeGroup',
] as const;

/**
 * Sets environment variables as a deployment does. Existing ones win. Call this before importing the functions. Throws
 * SettingError.
 */
export function provideSettings(options: Pick<Options, 'auth' | 'tokens' | 'events'>): AppliedSettings {
  const environment = findEnvironment();
  const values = namingEnvironment(environment.name, () => readLocalSettings(environment.values));
  const requiresTokens = options.auth || options.tokens !== undefined;
  const changed = listChanged(environment.values).filter((name) => name !== 'fields');
  const isApplied = (name: string) => name in localSettings.shape && (requiresTokens || !isOfTokens(name));
  setVariables(values, WITH_VARIABLE, '');
  // Callers without tokens have no scopes and groups.
  if (requiresTokens) setVariables(values, TOKENS, 'AUTH_');
  const keepsEvents = options.events !== undefined || changed.includes('events');
  // Nothing reads changes unless streams, histories or events are on, as in a deployment.
  if (values.maxStreams === 0 && values.historyDays === undefined && !keepsEvents) process.env.CHANGE_LOG ??= 'off';
  return {
    environment: environment.name,
    corsOrigins: values.corsOrigins,
    applied: changed.filter(isApplied),
    ignored: changed.filter((name) => !isApplied(name)),
  };
}

const isOfTokens = (name: string) => TOKENS.some((other) => other === name);

function setVariables(values: LocalSettings, names: readonly (keyof LocalSettings)[], prefix: string): void {
  for (const name of names)
    if (values[name] !== undefined) process.env[`${prefix}${toVariableName(name)}`] ??= toVariable(values[name]);
}
