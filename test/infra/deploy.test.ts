import { spawnSync } from 'node:child_process';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { requireFunctionUrls } from '../../infra/regions.ts';
import { readSettings } from '../../infra/settings.ts';
import { synthesize } from './synth.ts';

const defaultTemplate = synthesize();
const ON_DELETE = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
const ALWAYS = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

describe('the first deploy in a new account', () => {
  test('reserves none of its 10 concurrent executions, and leaves half of them to REST', () => {
    const reserving = { ReservedConcurrentExecutions: Match.anyValue() };
    defaultTemplate.resourcePropertiesCountIs('AWS::Lambda::Function', reserving, 0);
    expect(readSettings({}).maxStreams).toBeLessThanOrEqual(5);
  });

  test('deletes log groups, key and unprotected table if it fails', () => {
    const template = synthesize({ customerManagedKey: 'on', deletionProtection: 'off' });
    template.allResources('AWS::Logs::LogGroup', ON_DELETE);
    template.allResources('AWS::KMS::Key', ON_DELETE);
    const Properties = { Replicas: [{ DeletionProtectionEnabled: false }] };
    template.hasResource('AWS::DynamoDB::GlobalTable', { ...ON_DELETE, Properties });
  });

  test('does not try to delete the table if that is protected, which would block the next deploy', () => {
    const Properties = { Replicas: [{ DeletionProtectionEnabled: true }] };
    defaultTemplate.hasResource('AWS::DynamoDB::GlobalTable', { ...ALWAYS, Properties });
  });

  test('stops the synthesis in one sentence in a region without Function URLs', () => {
    const env = { ...process.env, CDK_DEFAULT_REGION: 'eu-south-2' };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/app.ts'], { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^The region eu-south-2 has no Lambda Function URLs, [^\n]*\.\n$/);
  });

  test.each(['us-east-1', 'eu-central-1', undefined])('is allowed in the region %s', (region) => {
    expect(() => requireFunctionUrls(region)).not.toThrow();
  });
});

test('two stacks in two regions share no name: only the dashboard is named, after stack and region', () => {
  const named = Object.values(defaultTemplate.toJSON().Resources as Record<string, Resource>)
    .filter(({ Type, Properties = {} }) => nameProperty(Type) in Properties)
    .map(({ Type }) => Type);
  expect(named).toEqual(['AWS::CloudWatch::Dashboard']);
  defaultTemplate.hasResourceProperties('AWS::CloudWatch::Dashboard', {
    DashboardName: { 'Fn::Join': ['', ['UserManagement-', { Ref: 'AWS::Region' }]] },
  });
});

type Resource = { Type: string; Properties?: Record<string, unknown> };

/** Without this property, CloudFormation generates a unique name. Inline policies and stages are named within their owner. */
function nameProperty(type: string): string {
  const kind = type.split('::').at(-1)?.replace('Global', '');
  return ['AWS::IAM::Policy', 'AWS::ApiGatewayV2::Stage'].includes(type) ? '' : `${kind}Name`;
}

test('the APIs invoke aliases, whose previous versions are kept for a rollback', () => {
  const Alias = { Ref: Match.stringLikeRegexp('Aliaslive') };
  defaultTemplate.allResourcesProperties('AWS::ApiGatewayV2::Integration', { IntegrationUri: Alias });
  defaultTemplate.allResourcesProperties('AWS::Lambda::Url', { Qualifier: 'live' });
  defaultTemplate.resourceCountIs('AWS::Lambda::Version', 7);
  defaultTemplate.allResources('AWS::Lambda::Version', ALWAYS);
});

test('a deploy with canary=off switches all aliases at once, and keeps them, the URL and the routes', () => {
  const kept = ['AWS::Lambda::Alias', 'AWS::Lambda::Url', 'AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route'];
  const find = (context: object) =>
    kept.map((type) =>
      Object.entries(synthesize({ ...context }).findResources(type)).map(([id, { Properties }]) => {
        // It names another version when the code or the table changes.
        const { FunctionVersion, ...others } = Properties;
        return [id, others];
      }),
    );
  const restoredStream = 'arn:aws:dynamodb:eu-west-1:123456789012:table/users-restored/stream/2026-11-21T00:00:00.000';
  expect(find({ canary: 'off', restoredStream })).toEqual(find({ canary: 'on' }));
  const atOnce = synthesize({ canary: 'off', restoredStream });
  atOnce.allResources('AWS::Lambda::Alias', { UpdatePolicy: Match.absent() });
  expect(JSON.stringify(atOnce.toJSON())).not.toContain('AWS::CodeDeploy');
});

test('a change of code keeps Function URL, table and event source', () => {
  const kept = ['AWS::Lambda::Url', 'AWS::DynamoDB::GlobalTable', 'AWS::Lambda::EventSourceMapping'];
  const find = (template: typeof defaultTemplate) => kept.map((type) => template.findResources(type));
  const changed = synthesize({ serverTiming: 'on', maxStreams: '7', logRetentionDays: '60' });
  expect(find(changed)).toEqual(find(defaultTemplate));
});
