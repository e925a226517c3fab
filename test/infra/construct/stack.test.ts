import { Match, type Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { tableSchema } from '../../../lib/dynamodb/keys.ts';
import { FUNCTION_COUNT, synthesize } from './synth.ts';

test('the table is on-demand, streams both images, can be restored and is kept when the stack is deleted', () => {
  synthesize().hasResource('AWS::DynamoDB::GlobalTable', {
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
          // DynamoDB cannot change the projection of an existing index.
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...tableSchema.index.projection] },
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

test('restoredStream replaces the table of the stack by the restored table', () => {
  const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/users-restored';
  const restored = synthesize({ restoredStream: `${table}/stream/2026-11-21T00:00:00.000` });
  restored.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
  restored.resourcePropertiesCountIs(
    'AWS::Lambda::Function',
    {
      Environment: { Variables: Match.objectLike({ TABLE_NAME: 'users-restored' }) },
    },
    FUNCTION_COUNT,
  );
  restored.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: `${table}/stream/2026-11-21T00:00:00.000`,
  });
});

test('the outputs are the URLs and the name of the table', () => {
  expect(Object.keys(synthesize().toJSON().Outputs)).toEqual(['ApiUrl', 'GraphqlUrl', 'TableName']);
});

test('every function runs on Node 24 and logs JSON for 30 days', () => {
  const every = { Runtime: 'nodejs24.x', Architectures: ['arm64'] };
  synthesize().allResourcesProperties('AWS::Lambda::Function', {
    ...every,
    LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
  });
  synthesize().allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
});

test.each([
  ['get-user', 10, 1024],
  // Subscriptions last up to 90 s.
  ['graphql', 120, 1024],
  ['on-change', 60, 1024],
  ['publish-events', 60, 1024],
  // An operator's repair may need the whole quarter of an hour.
  ['index-pages', 900, 256],
  // Each request to the receiver may take 15 s.
  ['post-webhook', 60, 256],
])('%s ends after %i s, and has %i MB', (name, Timeout, MemorySize) => {
  const template = synthesize({ events: 'on', webhookUrl: 'https://crm.example.com/hook' });
  template.hasResourceProperties('AWS::Lambda::Function', { Handler: `${name}.handler`, Timeout, MemorySize });
});

test('functions are traced with tracing=on only', () => {
  const traced = { TracingConfig: { Mode: 'Active' } };
  synthesize({ tracing: 'on' }).resourcePropertiesCountIs('AWS::Lambda::Function', traced, FUNCTION_COUNT);
  synthesize().resourcePropertiesCountIs('AWS::Lambda::Function', traced, 0);
  expect(JSON.stringify(synthesize().toJSON())).not.toContain('xray:');
});

test('every paid metric is used by an alarm or graph', () => {
  const detailed = { DefaultRouteSettings: Match.objectLike({ DetailedMetricsEnabled: true }) };
  synthesize().resourcePropertiesCountIs('AWS::ApiGatewayV2::Stage', detailed, 0);
});

test('Server-Timing is sent with serverTiming=on only', () => {
  const timed = { Environment: { Variables: Match.objectLike({ SERVER_TIMING: 'on' }) } };
  synthesize({ serverTiming: 'on' }).resourcePropertiesCountIs('AWS::Lambda::Function', timed, FUNCTION_COUNT);
  synthesize().resourcePropertiesCountIs('AWS::Lambda::Function', timed, 0);
});

test('functions use databaseEndpoint, without streaming for sam local; it is unset by default', () => {
  const databaseEndpoint = 'http://172.17.0.2:8000';
  const named = {
    Environment: {
      Variables: Match.objectLike({
        AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
        AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA: 'true',
      }),
    },
  };
  synthesize({ databaseEndpoint }).resourcePropertiesCountIs('AWS::Lambda::Function', named, FUNCTION_COUNT);
  expect(JSON.stringify(synthesize().toJSON())).not.toContain('AWS_ENDPOINT_URL');
});

test('with databaseEndpoint, the template names each function for sam local', () => {
  const local = synthesize({ databaseEndpoint: 'http://172.17.0.2:8000' });
  const functions = Object.values(
    local.findResources('AWS::Lambda::Function', { Metadata: { SamResourceId: Match.anyValue() } }),
  );
  expect(functions).toHaveLength(FUNCTION_COUNT);
  for (const { Properties, Metadata } of functions)
    expect(Properties.Handler).toBe(`${Metadata.SamResourceId}.handler`);
  expect(JSON.stringify(synthesize().toJSON())).not.toContain('SamResourceId');
});

test('failing changes are retried, isolated by bisecting the batch, and reported to a queue', () => {
  synthesize().hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    // A new consumer also gets the changes of the last day.
    StartingPosition: 'TRIM_HORIZON',
    BatchSize: 100,
    MaximumBatchingWindowInSeconds: 1,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    // A consumer that was off for a day must still receive all records.
    MaximumRecordAgeInSeconds: Match.absent(),
    MaximumRetryAttempts: -1,
    FilterCriteria: {
      Filters: [
        {
          Pattern:
            '{"dynamodb":{"Keys":{"pk":{"S":[{"prefix":"USER#"}]},"sk":{"S":["USER",{"prefix":"POST#"},"PURGE","RETURN"]}}}}',
        },
        { Pattern: '{"dynamodb":{"Keys":{"pk":{"S":["HEARTBEAT"]}}}}' },
      ],
    },
    DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('deadletters'), 'Arn'] } } },
  });
});

test('dead letters are kept for 14 days, and queues accept TLS only', () => {
  const template = synthesize({ events: 'on', webhookUrl: 'https://crm.example.com/hook' });
  template.allResourcesProperties('AWS::SQS::Queue', { MessageRetentionPeriod: 14 * 86_400 });
  const insecure = { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } };
  template.allResourcesProperties('AWS::SQS::QueuePolicy', {
    PolicyDocument: { Statement: Match.arrayWith([Match.objectLike(insecure)]) },
  });
});

test('index-pages runs each minute, and a failed or late run is not repeated', () => {
  const limits = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
  synthesize().hasResourceProperties('AWS::Events::Rule', {
    ScheduleExpression: 'rate(1 minute)',
    State: 'ENABLED',
    Targets: [
      Match.objectLike({
        Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^pagesindexpages'), 'Arn'] },
        RetryPolicy: limits,
      }),
    ],
  });
  synthesize().hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: Match.stringLikeRegexp('^pagesindexpages') },
    ...limits,
  });
});

test('customerManagedKey=on encrypts the table, but nothing that reports a disabled key', () => {
  const keyed = synthesize({ customerManagedKey: 'true' });
  const ref = { 'Fn::GetAtt': [Match.stringLikeRegexp('^key'), 'Arn'] };
  keyed.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    Replicas: [{ SSESpecification: { KMSMasterKeyId: ref } }],
  });
  keyed.allResourcesProperties('AWS::Logs::LogGroup', { KmsKeyId: Match.absent() });
  keyed.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: Match.absent(), SqsManagedSseEnabled: true });
  keyed.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId: Match.absent() });
});

test('requests are throttled, and logged with the IP address but without path, query and caller, which may contain addresses', () => {
  const settings = synthesize({ throttleRate: 20 });
  settings.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    DefaultRouteSettings: { ThrottlingRateLimit: 20, ThrottlingBurstLimit: 40 },
    AccessLogSettings: {
      Format: Match.not(Match.stringLikeRegexp('path|query|protocol|claims|identity\\.(?!sourceIp)')),
    },
  });
});

test('with backupDays, AWS Backup keeps daily backups, copies them to another vault, and reports failures', () => {
  synthesize().resourceCountIs('AWS::Backup::BackupPlan', 0);
  const backupCopyVaultArn = 'arn:aws:backup:eu-central-1:210987654321:backup-vault:users-copies';
  const template = synthesize({ backupDays: 90, backupCopyVaultArn });
  const Lifecycle = { DeleteAfterDays: 90 };
  template.hasResourceProperties('AWS::Backup::BackupPlan', {
    BackupPlan: {
      BackupPlanRule: [
        Match.objectLike({
          ScheduleExpression: 'cron(0 3 * * ? *)',
          Lifecycle,
          CopyActions: [{ DestinationBackupVaultArn: backupCopyVaultArn, Lifecycle }],
        }),
      ],
    },
  });
  template.hasResourceProperties('AWS::Backup::BackupSelection', {
    BackupSelection: { Resources: [{ 'Fn::GetAtt': [Match.stringLikeRegexp('^table'), 'Arn'] }] },
  });
  template.hasResourceProperties('AWS::Events::Rule', {
    EventPattern: {
      source: ['aws.backup'],
      'detail-type': ['Backup Job State Change', 'Copy Job State Change'],
      detail: {
        state: ['FAILED', 'ABORTED', 'EXPIRED'],
        resourceArn: [{ 'Fn::GetAtt': [Match.stringLikeRegexp('^table'), 'Arn'] }],
      },
    },
    Targets: [Match.objectLike({ Arn: { Ref: Match.stringLikeRegexp('^monitoringalarms') } })],
  });
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        // EventBridge supports no conditions in policies of topics.
        Match.objectLike({ Principal: { Service: 'events.amazonaws.com' }, Condition: Match.absent() }),
      ]),
    },
  });
  // A vault that a failed first deploy left would block the next one, because its name is fixed.
  template.hasResource('AWS::Backup::BackupVault', { DeletionPolicy: 'RetainExceptOnCreate' });
  // `graphql` gets the setting, because erasures must be remembered for longer than backups.
  template.hasResourceProperties('AWS::Lambda::Function', {
    Handler: 'graphql.handler',
    Environment: { Variables: Match.objectLike({ BACKUP_DAYS: '90' }) },
  });
  expect(() => synthesize({ backupCopyVaultArn })).toThrow('backupCopyVaultArn requires backupDays');
});

test('with customerManagedKey=on, backups are encrypted with the key, in another vault than before', () => {
  const listVaults = (template: Template) => Object.keys(template.findResources('AWS::Backup::BackupVault'));
  const keyed = synthesize({ backupDays: 90, customerManagedKey: 'on' });
  keyed.hasResourceProperties('AWS::Backup::BackupVault', {
    EncryptionKeyArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^key'), 'Arn'] },
  });
  expect(listVaults(synthesize({ backupDays: 90 }))).not.toEqual(listVaults(keyed));
});
