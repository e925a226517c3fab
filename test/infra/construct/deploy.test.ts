import { spawnSync } from 'node:child_process';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { describe, expect, test, vi } from 'vitest';
import { LOG_RETENTION_DAYS, SettingError } from '../../../infra/settings/settings.ts';
import { createApp, createService, synthesize } from './synth.ts';

const ON_DELETE = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
const ALWAYS = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' };

describe('the first deploy in a new account', () => {
  test('reserves none of its 10 concurrent executions', () => {
    const reserving = { ReservedConcurrentExecutions: Match.anyValue() };
    synthesize().resourcePropertiesCountIs('AWS::Lambda::Function', reserving, 0);
  });

  test('deletes log groups, key and unprotected table if it fails', () => {
    const template = synthesize({ customerManagedKey: 'on', deletionProtection: 'off' });
    template.allResources('AWS::Logs::LogGroup', ON_DELETE);
    template.allResources('AWS::KMS::Key', ON_DELETE);
    const Properties = { Replicas: [{ DeletionProtectionEnabled: false }] };
    template.hasResource('AWS::DynamoDB::GlobalTable', { ...ON_DELETE, Properties });
  });

  test('does not try to delete a protected table, which would block the next deploy', () => {
    const Properties = { Replicas: [{ DeletionProtectionEnabled: true }] };
    synthesize().hasResource('AWS::DynamoDB::GlobalTable', { ...ALWAYS, Properties });
  });

  test.each(['cn-north-1', 'cn-northwest-1', 'us-gov-west-1', 'us-gov-east-1', 'eu-south-2', 'mx-central-1'])(
    'is rejected in the region %s, which has no Function URLs',
    (region) => expect(() => createService({}, region)).toThrow(SettingError),
  );

  test.each(['cn-north-1', 'us-gov-west-1', 'mx-central-1'])(
    'is rejected in the region %s with a web function, too, so neither error recommends the other',
    (region) => {
      const message = /Choose another region\.$/;
      expect(() => createService({ subscriptions: 'web-function' }, region)).toThrow(message);
      expect(() => createService({}, region)).toThrow(message);
    },
  );

  test.each(['af-south-1', 'eu-south-1'])('in the region %s requires Function URLs', (region) => {
    expect(() => createService({ subscriptions: 'web-function' }, region)).toThrow(
      /has no Lambda Web Functions, .* or subscriptions=function-url\.$/,
    );
    expect(() => createService({}, region)).not.toThrow();
  });

  test('is rejected with siteLogs in an opt-in region, where CloudFront cannot write logs', () => {
    const props = { auth: 'none', console: true, siteLogs: true } as const;
    for (const region of ['eu-south-1', 'me-south-1'])
      expect(() => createService(props, region)).toThrow(/^CloudFront cannot write siteLogs to the opt-in region/);
    for (const region of ['eu-west-1', undefined]) expect(() => createService(props, region)).not.toThrow();
  });

  test('fails at synthesis with one line in a region without Function URLs', () => {
    const env = { ...process.env, CDK_DEFAULT_REGION: 'eu-south-2' };
    const { status, stdout, stderr } = spawnSync(process.execPath, ['infra/app.ts'], { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^The region eu-south-2 has no Lambda Function URLs, [^\n]*\.\n$/);
  });

  test.each(['us-east-1', 'eu-central-1', 'eusc-de-east-1', undefined])('is allowed in the region %s', (region) => {
    expect(() => createService({}, region)).not.toThrow();
  });
});

describe('an environment', () => {
  test('in a region without Function URLs is rejected, regardless of the credentials', () => {
    vi.stubEnv('CDK_DEFAULT_REGION', 'us-east-1');
    expect(() => createApp({ region: 'eu-south-2' })).toThrow(SettingError);
    vi.unstubAllEnvs();
  });

  test('can have a domain', () => {
    const template = synthesize({
      auth: 'none',
      domainName: 'users.example.com',
      certificateArn: 'arn:aws:acm:us-east-1:222222222222:certificate/1',
    });
    template.hasOutput('ApiUrl', { Value: 'https://users.example.com/' });
    template.hasOutput('GraphqlUrl', { Value: 'https://users.example.com/graphql' });
    template.hasOutput('DomainTarget', { Value: Match.anyValue() });
  });
});

describe('physical names', () => {
  const resources: [string, Resource][] = Object.entries(
    synthesize({ auth: 'none', console: 'on', canary: 'on', customerManagedKey: 'on', dashboard: 'on' }).toJSON()
      .Resources,
  );
  const names = resources.flatMap(([, { Type, Properties = {} }]) => {
    const name = findName(Type, Properties);
    return name === undefined ? [] : [[Type, JSON.stringify(name)] as const];
  });

  test('are set only where CloudFormation generates none, or AWS expects a prefix', () => {
    expect(new Set(names.map(([type]) => type))).toEqual(
      new Set([
        'AWS::CloudFront::Function',
        'AWS::CloudFront::OriginAccessControl',
        'AWS::CloudFront::ResponseHeadersPolicy',
        'AWS::CloudWatch::Dashboard',
        'AWS::DynamoDB::GlobalTable',
        'AWS::Logs::LogGroup',
      ]),
    );
  });

  test.each(names)('two stacks never share a %s, in one region or two: %s', (type, name) => {
    // Log groups outlive the stack, so they need its id. Log groups and tables are regional; other names need the
    // region.
    if (type !== 'AWS::DynamoDB::GlobalTable')
      expect(name).toContain(type === 'AWS::Logs::LogGroup' ? 'AWS::StackId' : 'AWS::Region');
    expect(name).toContain('UserManagement');
  });

  test.each(['UserManagement', `A${'-long'.repeat(12)}-x1`])('names of the stack %s are not too long', (stackName) => {
    const template = synthesize({ stackName, auth: 'none', console: 'on' });
    const [{ Properties: control } = {}] = Object.values(
      template.findResources('AWS::CloudFront::OriginAccessControl'),
    ) as Resource[];
    const config = control?.OriginAccessControlConfig as { Name: { 'Fn::Join': [string, unknown[]] } };
    const name = config.Name['Fn::Join'][1]
      .map((part) => (typeof part === 'string' ? part : 'ap-northeast-3'))
      .join('');
    expect(name.length).toBeLessThanOrEqual(64);
    expect(name).toMatch(/-files-ap-northeast-3$/);
  });
});

type Resource = { Type: string; Properties?: Record<string, unknown> };

/** Names are unique only within a parent, or need not be. */
const NAMES_TO_IGNORE = [
  'AWS::IAM::Policy',
  'AWS::ApiGatewayV2::Stage',
  'AWS::Lambda::Alias',
  'AWS::ApiGatewayV2::Api',
];

/** Undefined if CloudFormation generates the name. */
function findName(type: string, properties: Record<string, unknown>): unknown {
  if (NAMES_TO_IGNORE.includes(type)) return undefined;
  const kind = type.split('::').at(-1)?.replace('Global', '');
  const { Name } = (properties[`${kind}Config`] ?? {}) as { Name?: unknown };
  return properties[`${kind}Name`] ?? Name ?? properties.Name;
}

test('the access log of the API has the prefix for which the resource policy of CloudWatch Logs has no length limit', () => {
  const groups = Object.entries(synthesize().findResources('AWS::Logs::LogGroup'));
  const names = groups
    .filter(([id]) => id.startsWith('apiaccess'))
    .map(([, { Properties }]) => Properties.LogGroupName);
  expect(names).toEqual([{ 'Fn::Join': ['', ['/aws/vendedlogs/UserManagement-', expect.anything()]] }]);
});

test('the APIs invoke aliases, whose previous versions are kept for a rollback, but not that of a failed deploy', () => {
  const Alias = { Ref: Match.stringLikeRegexp('Aliaslive') };
  synthesize().allResourcesProperties('AWS::ApiGatewayV2::Integration', { IntegrationUri: Alias });
  synthesize().allResourcesProperties('AWS::Lambda::Url', { Qualifier: 'live' });
  synthesize().resourceCountIs('AWS::Lambda::Version', 7);
  synthesize().allResources('AWS::Lambda::Version', ON_DELETE);
});

test('a deploy with canary=off switches all aliases at once, and keeps them, the URL and the routes', () => {
  const kept = ['AWS::Lambda::Alias', 'AWS::Lambda::Url', 'AWS::ApiGatewayV2::Integration', 'AWS::ApiGatewayV2::Route'];
  const find = (context: object) =>
    kept.map((type) =>
      Object.entries(synthesize({ ...context }).findResources(type)).map(([id, { Properties }]) => {
        // Ignores the version, which changes with the code or the table.
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
  const find = (template: Template) => kept.map((type) => template.findResources(type));
  const changed = synthesize({ serverTiming: 'on', maxStreams: '7', logRetentionDays: '60' });
  expect(find(changed)).toEqual(find(synthesize()));
});

test('logRetentionDays are those that CDK knows', () => {
  const days = Object.values(RetentionDays).filter((days) => typeof days === 'number');
  expect(LOG_RETENTION_DAYS).toEqual(days.filter((days) => days !== RetentionDays.INFINITE));
});
