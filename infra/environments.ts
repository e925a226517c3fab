import type { Environments } from './settings.ts';

/**
 * The deployments of this service by name, with the settings of settings.md that are not the default. README.md ("Environments")
 * explains them. `npm start` takes the settings of `default`.
 */
export const environments: Environments = {
  default: {
    fields: {},
  },
};
