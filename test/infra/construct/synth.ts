import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { bundleNames, grants, OPENAPI_PRINTER } from '../../../infra/construct/grants.ts';
import type { UserManagementProps } from '../../../infra/construct/props.ts';
import { UserManagementStack } from '../../../infra/construct/stack.ts';
import { UserManagement } from '../../../infra/construct/user-management.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { operations } from '../../../lib/rest/operations.ts';

export const folder = mkdtempSync(join(tmpdir(), 'synth-'));
// Removes the folder at the end, because all test files of a worker share it.
process.once('exit', () => rmSync(folder, { recursive: true }));

/** Empty bundles, enough for tests of templates. */
export const placeholders = join(folder, 'placeholders');
for (const name of bundleNames) {
  mkdirSync(join(placeholders, name), { recursive: true });
  writeFileSync(join(placeholders, name, `${name}.mjs`), '');
}

mkdirSync(join(placeholders, 'site'));
writeFileSync(join(placeholders, 'site', 'index.html'), '');
// Reads its input like the real program: otherwise writing to it may fail.
writeFileSync(join(placeholders, `${OPENAPI_PRINTER}.mjs`), "for await (const _ of process.stdin); console.log('{}')");

/** Names of the functions of own records. */
export const ownRecords = Object.entries(operations).flatMap(([name, { right }]) => (right === 'self' ? [name] : []));

/** Number of our functions with default settings. CDK adds others. */
export const FUNCTION_COUNT = Object.keys(grants).filter(
  (name) => name !== 'publish-events' && name !== 'post-webhook' && !ownRecords.includes(name),
).length;

const LOCAL = 'http://localhost:3000/';

function addRequired<Given extends object>(given: Given, isOpen: boolean, isNewPool: boolean): Given {
  const { userPoolClient, domainName } = given as Record<string, unknown>;
  const isOn = (value: unknown) => value === true || value === 'on';
  return {
    ...(isOpen ? { graphqlConcurrency: 'unlimited' } : {}),
    ...((isNewPool || isOn(userPoolClient)) && !domainName ? { callbackUrls: [LOCAL] } : {}),
    ...given,
  };
}

/** Synthesizes like `cdk synth`. */
export function createApp(context: Record<string, unknown> = {}, bundles = placeholders) {
  const outdir = mkdtempSync(join(folder, 'cdk.out-'));
  // Adds `aws:asset:path` to the template, as the CDK CLI does. Tests and SAM find the code of functions by it.
  const app = new App({ outdir, context: { ...recommendedFlags, ...context, 'aws:cdk:enable-asset-metadata': true } });
  const { auth = 'iam', userPoolId } = context;
  const settings = readSettings(addRequired(context, auth !== 'iam', auth === 'cognito' && !userPoolId));
  const stack = new UserManagementStack(app, settings, bundles);
  return { app, stack, outdir };
}

export function createService(props: UserManagementProps = {}, region?: string, id = 'Users') {
  const app = new App({ outdir: mkdtempSync(join(folder, 'cdk.out-')) });
  const stack = new Stack(app, 'App', region ? { env: { region } } : {});
  return { app, stack, service: new UserManagement(stack, id, completeProps(props)) };
}

/** Adds required props, and empty bundles. */
export function completeProps(props: UserManagementProps): UserManagementProps {
  const { auth = 'iam', userPool } = props;
  const given = addRequired(props, auth !== 'iam' || userPool !== undefined, userPool === 'new');
  return { ...given, bundles: placeholders };
}

const templates = new Map<string, Template>();
/** Mutation tests share none, because Stryker runs a mutant only with the tests that execute its code. */
const sharesTemplates = process.env.TEST_TEMPLATES !== 'separate';

export function synthesize(context: Record<string, unknown> = {}): Template {
  const key = JSON.stringify(context);
  const template = templates.get(key) ?? Template.fromStack(createApp(context).stack);
  if (sharesTemplates) templates.set(key, template);
  return template;
}
