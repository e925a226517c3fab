import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { bundle } from './stack/bundling.ts';
import { grants } from './stack/grants.ts';
import { requireFunctionUrls } from './regions.ts';
import { readSettings, SettingError } from './settings.ts';
import { UserManagementStack } from './stack/stack.ts';

try {
  const app = new App();
  // Set by the CDK CLI: the region of the credentials or the profile.
  requireFunctionUrls(process.env.CDK_DEFAULT_REGION);
  const settings = readSettings(app.node.getAllContext());
  const bundles = join(app.outdir, 'bundles');
  await bundle(Object.keys(grants), bundles);
  new UserManagementStack(app, settings, bundles);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
