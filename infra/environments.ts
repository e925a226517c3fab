import type { Environments } from './settings.ts';

/**
 * Deployments of this service by name, with the settings that differ from the defaults of settings.md. See "Environments" in README.md.
 * `npm start` uses `default`.
 */
export const environments: Environments = {
  default: {
    fields: {},
  },
};
