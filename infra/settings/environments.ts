import type { Environments } from './settings.ts';

/**
 * Deployments by name, with settings that differ from the defaults. See "Environments" in README.md. `npm start` uses
 * `default`.
 */
export const environments: Environments = {
  default: {
    fields: {},
  },
};
