import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { bundle, bundleOpenApiPrinter } from './construct/bundling/bundle.ts';
import { bundleNames } from './construct/grants.ts';
import { addEnvironment } from './construct/stack.ts';
import { requirePublishedTypes } from './own-fields/published.ts';
import { listEnvironments, readEnvironment, requireSeparateStacks } from './settings/environment.ts';
import { SettingError } from './settings/settings.ts';
import { writeSiteFiles } from './web/build.ts';

export const app = new App({ context: recommendedFlags });

try {
  requireSeparateStacks();
  const environments = listEnvironments().map((environment) => ({
    name: environment.name,
    settings: readEnvironment(environment, app.node.getAllContext()),
  }));
  for (const { settings } of environments) requirePublishedTypes(settings.fields);
  const bundles = join(app.outdir, 'bundles');
  await bundle(bundleNames, bundles);
  if (environments.some(({ settings }) => settings.console)) {
    await bundleOpenApiPrinter(bundles);
    await writeSiteFiles(join(bundles, 'site'));
  }
  for (const { name, settings } of environments) addEnvironment(app, name, settings, bundles);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
