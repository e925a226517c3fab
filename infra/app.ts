import { join } from 'node:path';
import { Annotations, App } from 'aws-cdk-lib';
import { bundle } from './construct/bundling/bundle.ts';
import { addCompileCaches } from './construct/compile-cache/compile-cache.ts';
import { bundleNames, grants } from './construct/grants.ts';
import { UserManagementStack } from './construct/stack.ts';
import { writeOwnFields } from './own-fields/bundled-file.ts';
import { requirePublishedTypes } from './own-fields/published.ts';
import { readSettings, SettingError } from './settings.ts';
import { writeConsoleFiles } from './web/build.ts';

try {
  const app = new App();
  const settings = readSettings(app.node.getAllContext());
  requirePublishedTypes(settings.fields);
  const bundles = join(app.outdir, 'bundles');
  await bundle(bundleNames, bundles);
  // Compile caches are made of functions that have read them.
  await writeOwnFields(settings.fields, bundleNames, bundles);
  const { compileCache: node, architecture } = settings;
  const names = Object.keys(grants);
  const mismatch = node && (await addCompileCaches(names, bundles, { node, architecture }));
  if (settings.console) await writeConsoleFiles(join(bundles, 'console'));
  const stack = new UserManagementStack(app, settings, bundles);
  if (mismatch) Annotations.of(stack).addWarningV2('compile-cache', `No compile caches: ${mismatch}.`);
} catch (error) {
  if (!(error instanceof SettingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
