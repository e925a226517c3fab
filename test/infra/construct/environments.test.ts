import { mkdtempSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { addEnvironment } from '../../../infra/construct/stack.ts';
import { listEnvironments, readEnvironment, requireSeparateStacks } from '../../../infra/settings/environment.ts';
import type { Environments } from '../../../infra/settings/settings.ts';
import { findCodeBlocks } from '../../setup/markdown.ts';
import { folder, placeholders, synthesize } from './synth.ts';

function synthesizeAll(environments: Environments, commandLine: Record<string, unknown> = {}) {
  const app = new App({
    outdir: mkdtempSync(join(folder, 'cdk.out-')),
    context: { ...recommendedFlags, 'aws:cdk:enable-asset-metadata': true },
  });
  for (const environment of listEnvironments(environments))
    addEnvironment(app, environment.name, readEnvironment(environment, commandLine), placeholders);
  return app.synth();
}

const environments: Environments = {
  default: {},
  staging: { stackName: 'Staging', account: '111111111111', region: 'eu-west-1', deletionProtection: false },
  production: { stackName: 'Production', account: '222222222222', region: 'us-east-1', dashboard: true },
};
const assembly = synthesizeAll(environments);

const isTable = 'AWS::DynamoDB::GlobalTable';

test('the environment default is a stack of the app with the template of one that has no environments', () => {
  const [stack, ...others] = assembly.stacks;
  expect([stack?.hierarchicalId, stack?.stackName, others]).toEqual(['UserManagement', 'UserManagement', []]);
  expect(stack?.template.Resources).toEqual(synthesize().toJSON().Resources);
});

test('each other environment is a stage with its own stack, account and region', () => {
  const stacks = assembly.nestedAssemblies.map(({ nestedAssembly }) =>
    nestedAssembly.stacks.map(({ hierarchicalId, stackName, environment: { account, region } }) => ({
      hierarchicalId,
      stackName,
      account,
      region,
    })),
  );
  expect(stacks).toEqual([
    [
      {
        hierarchicalId: 'production/Production',
        stackName: 'Production',
        account: '222222222222',
        region: 'us-east-1',
      },
    ],
    [{ hierarchicalId: 'staging/Staging', stackName: 'Staging', account: '111111111111', region: 'eu-west-1' }],
  ]);
});

const readTemplate = (stage: string, from = assembly) =>
  Template.fromJSON(from.getNestedAssembly(`assembly-${stage}`).stacks[0]?.template);

test('each has its own settings, and the same logical ids', () => {
  const [staging, production] = [readTemplate('staging'), readTemplate('production')];
  const isProtected = (template: Template) =>
    Object.values(template.findResources(isTable))[0]?.Properties.Replicas[0].DeletionProtectionEnabled;
  expect([isProtected(staging), isProtected(production)]).toEqual([false, true]);
  staging.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  production.resourceCountIs('AWS::CloudWatch::Dashboard', 1);
  expect(Object.keys(staging.findResources(isTable))).toEqual(Object.keys(synthesize().findResources(isTable)));
});

test('-c name=value replaces the setting of an environment', () => {
  const replaced = synthesizeAll(environments, { dashboard: 'off' });
  readTemplate('production', replaced).resourceCountIs('AWS::CloudWatch::Dashboard', 0);
});

test.each([
  ['infra/README.md', (block: string) => block],
  ['infra/settings/README.md', (block: string) => `export const environments = { default: {}, ${block} };`],
])('the environments of %s can be synthesized', async (page, complete) => {
  const [block = ''] = findCodeBlocks(readFileSync(page, 'utf8'), 'ts');
  const code = stripTypeScriptTypes(complete(block));
  const shown: { environments: Environments } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  requireSeparateStacks({ ...shown.environments, default: { stackName: 'Trial' } });
  const { stacks, nestedAssemblies } = synthesizeAll(shown.environments);
  expect(stacks.length + nestedAssemblies.length).toBe(Object.keys(shown.environments).length);
});
