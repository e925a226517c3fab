import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { bundle } from '../../infra/bundling.ts';
import { grants } from '../../infra/grants.ts';
import { readSettings } from '../../infra/settings.ts';
import { UserManagementStack } from '../../infra/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'synth-'));
const bundles = join(folder, 'bundles');
await bundle(Object.keys(grants), bundles);
afterAll(() => rm(folder, { recursive: true }));

/** The app as `cdk synth` makes it, with these settings. */
export function appWith(context: Record<string, unknown> = {}) {
  const outdir = mkdtempSync(join(folder, 'cdk.out-'));
  // The command line asks for the metadata that SAM finds the code by.
  const app = new App({ outdir, context: { ...context, 'aws:cdk:enable-asset-metadata': true } });
  const stack = new UserManagementStack(app, readSettings(context), bundles);
  return { app, stack, outdir };
}

export const templateOf = (context?: Record<string, unknown>) => Template.fromStack(appWith(context).stack);

export type Resource = { Properties: Record<string, never>; Metadata: Record<string, string> };
