import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { bundle } from './construct/bundling/bundle.ts';
import { bundleNames } from './construct/grants.ts';
import { UserManagementStack } from './construct/stack.ts';
import { writeOwnFields } from './own-fields/bundled-file.ts';
import { requirePublishedTypes } from './own-fields/published.ts';
import { readSettings, SettingError } from './settings.ts';
import { writeConsoleFiles } from './web/build.ts';

export const app = new App();

try {
  const settings = readSettings(app.node.getAllContext());
  requirePublishedTypes(settings.fields);
  const bundles = join(app.outdir, 'bundles');
  await bundle(bundleNames, bundles);
  await writeOwnFields(settings.fields, bundleNames, bundles);
  if (settings.console) await writeConsoleFiles(join(bundles, 'console'));
  new UserManagementStack(app, settings, bundles);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
