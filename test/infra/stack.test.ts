import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { appWith, templateOf } from './synth.ts';

const byDefault = templateOf();
const tokens = { auth: 'jwt', issuer: 'https://issuer.example', audience: 'users' };

test('the table is on demand, streams both images, can be restored, and outlives the stack', () => {
  byDefault.hasResource('AWS::DynamoDB::GlobalTable', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'directory',
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: ['name', 'email', 'createdAt', 'updatedAt', 'version'],
          },
        },
      ],
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      Replicas: [
        { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
      ],
    },
  });
});

test('a restored table takes the place of the one of the stack', () => {
  const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/users-restored';
  const restored = templateOf({ restoredStream: `${table}/stream/2026-11-21T00:00:00.000` });
  restored.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  restored.allResourcesProperties('AWS::Lambda::Function', {
    Environment: { Variables: Match.objectLike({ TABLE_NAME: 'users-restored' }) },
  });
  restored.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: `${table}/stream/2026-11-21T00:00:00.000`,
  });
});

test('the outputs say where the service is', () => {
  expect(Object.keys(byDefault.toJSON().Outputs)).toEqual(['ApiUrl', 'GraphqlUrl', 'TableName']);
});

test('every function runs on Node 24, is traced, and logs JSON to a group that forgets', () => {
  const every = { Runtime: 'nodejs24.x', Architectures: ['arm64'], TracingConfig: { Mode: 'Active' } };
  byDefault.allResourcesProperties('AWS::Lambda::Function', {
    ...every,
    LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
  });
  byDefault.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});

test('answers tell what they cost on request only', () => {
  const timed = { Environment: { Variables: Match.objectLike({ SERVER_TIMING: 'on' }) } };
  templateOf({ serverTiming: 'on' }).allResourcesProperties('AWS::Lambda::Function', timed);
  byDefault.resourcePropertiesCountIs('AWS::Lambda::Function', timed, 0);
});

test('the functions use a database that is named for sam local, and none is named otherwise', () => {
  const databaseEndpoint = 'http://host.docker.internal:8000';
  const named = { Environment: { Variables: Match.objectLike({ AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint }) } };
  templateOf({ databaseEndpoint }).allResourcesProperties('AWS::Lambda::Function', named);
  expect(JSON.stringify(byDefault.toJSON())).not.toContain('AWS_ENDPOINT_URL');
});

describe('the Function URL', () => {
  const url = (context?: object) => ({ template: templateOf({ ...context }), type: 'AWS::Lambda::Url' });

  test('streams, to signed requests only', () => {
    byDefault.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' });
    byDefault.resourcePropertiesCountIs('AWS::Lambda::Permission', { Principal: '*' }, 0);
  });

  test('with auth=jwt lets the function ask for the token', () => {
    const { template, type } = url(tokens);
    template.hasResourceProperties(type, { AuthType: 'NONE' });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Handler: 'graphql.handler',
      Environment: { Variables: Match.objectLike({ AUTH_ISSUER: tokens.issuer, AUTH_AUDIENCE: tokens.audience }) },
    });
  });

  test('answers pages of the given origins, as the HTTP API does, and never with credentials', () => {
    const { template, type } = url({ corsOrigins: 'https://app.example.com' });
    const origins = { AllowOrigins: ['https://app.example.com'], AllowCredentials: Match.absent() };
    template.hasResourceProperties(type, { Cors: origins });
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: origins });
    byDefault.hasResourceProperties('AWS::ApiGatewayV2::Api', { CorsConfiguration: Match.absent() });
  });
});

test('auth=none is said aloud, the others are not', () => {
  const warned = (context: object) =>
    Annotations.fromStack(appWith({ ...context }).stack).findWarning('*', Match.anyValue());
  expect(warned({ auth: 'none' }).map(({ entry }) => entry.data)).toEqual([
    expect.stringContaining('auth=none: whoever finds the URLs can read and change all users.'),
  ]);
  expect([...warned({}), ...warned(tokens)]).toEqual([]);
});

test('changes that cannot be consumed are retried, told apart, and named in a queue', () => {
  byDefault.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    MaximumRetryAttempts: 50,
    FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"USER#"}]}}}}' }] },
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('deadletters'), 'Arn'] } } },
  });
});

test('with a key of its own, table, logs, queue and topic are encrypted with it', () => {
  const keyed = templateOf({ customerManagedKey: 'true' });
  const ref = { 'Fn::GetAtt': [Match.stringLikeRegexp('^key'), 'Arn'] };
  keyed.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    Replicas: [{ SSESpecification: { KMSMasterKeyId: ref } }],
  });
  keyed.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: ref });
  keyed.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: ref });
  keyed.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: ref });
});

test('requests are throttled, and logged without path and query, which may hold addresses', () => {
  const settings = templateOf({ throttleRate: 20, throttleBurst: 40 });
  settings.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    DefaultRouteSettings: { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
    AccessLogSettings: { Format: Match.not(Match.stringLikeRegexp('path|query|protocol|sourceIp')) },
  });
});
