import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { expect, test } from 'vitest';
import { UserManagement } from '../../../infra/construct/user-management.ts';
import { SettingError } from '../../../infra/settings/settings.ts';
import { completeProps, createService, synthesize } from './synth.ts';

const webhookUrl = 'https://crm.example.com/hooks/users?team=1';
const settings = { events: 'on', webhookUrl };
const findArn = (id: string) => ({ 'Fn::GetAtt': [Match.stringLikeRegexp(`^${id}`), 'Arn'] });

test('without the setting there is no secret, no queue and no function of the webhook', () => {
  const events = synthesize({ events: 'on' });
  events.resourceCountIs('AWS::SecretsManager::Secret', 0);
  events.resourceCountIs('AWS::SQS::Queue', 2);
  expect(JSON.stringify(events.toJSON())).not.toMatch(/webhook/i);
});

test('events of this service go from the bus to the queue, and those that the queue does not take to the dead letters', () => {
  synthesize(settings).hasResourceProperties('AWS::Events::Rule', {
    EventBusName: { Ref: Match.stringLikeRegexp('^eventsbus') },
    EventPattern: { source: ['user-management/UserManagement'] },
    Targets: [
      Match.objectLike({ Arn: findArn('webhookqueue'), DeadLetterConfig: { Arn: findArn('webhookdeadletters') } }),
    ],
  });
});

test('the queue delivers an event 34 times, and the dead letters are kept for 14 days', () => {
  const [queue] = Object.entries(synthesize(settings).findResources('AWS::SQS::Queue'))
    .filter(([id]) => id.startsWith('webhookqueue'))
    .map(([, { Properties }]) => Properties);
  expect(queue).toMatchObject({
    RedrivePolicy: { maxReceiveCount: 34 },
    VisibilityTimeout: 3_600,
    MessageRetentionPeriod: 14 * 86_400,
    SqsManagedSseEnabled: true,
  });
  synthesize(settings).hasResourceProperties('AWS::SQS::Queue', {
    RedrivePolicy: Match.absent(),
    MessageRetentionPeriod: 14 * 86_400,
  });
  synthesize(settings).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: findArn('webhookqueue'),
    FunctionName: { Ref: Match.stringLikeRegexp('^webhookpostwebhook') },
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 2 },
  });
});

test('post-webhook knows URL, secret and queue, and may use nothing else', () => {
  synthesize(settings).hasResourceProperties('AWS::Lambda::Function', {
    Handler: 'post-webhook.handler',
    Environment: {
      Variables: Match.objectLike({
        WEBHOOK_URL: webhookUrl,
        WEBHOOK_SECRET_ARN: { Ref: Match.stringLikeRegexp('^webhooksecret') },
        WEBHOOK_QUEUE_URL: { Ref: Match.stringLikeRegexp('^webhookqueue') },
      }),
    },
  });
  const [statements = []] = Object.entries(synthesize(settings).findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith('webhookpostwebhookrole'))
    .map(([, { Properties }]) => Properties.PolicyDocument.Statement as { Action: string[]; Resource: unknown }[]);
  const granted = statements.flatMap(({ Action, Resource }) =>
    [Action].flat().map((action) => `${action} ${JSON.stringify(Resource).match(/webhook\w+|logs-\*/)?.[0]}`),
  );
  expect(granted.map((line) => line.replace(/[0-9A-F]{8}$/, '')).toSorted()).toEqual([
    'logs:CreateLogStream undefined',
    'logs:PutLogEvents undefined',
    'secretsmanager:GetSecretValue webhooksecret',
    ...['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'].map(
      (action) => `sqs:${action} webhookqueue`,
    ),
  ]);
});

test('Secrets Manager generates a key of the length that receivers accept, and an output names the secret', () => {
  synthesize(settings).hasResourceProperties('AWS::SecretsManager::Secret', {
    GenerateSecretString: { PasswordLength: 44, ExcludePunctuation: true },
    KmsKeyId: Match.absent(),
  });
  synthesize(settings).hasOutput('WebhookSecretArn', { Value: { Ref: Match.stringLikeRegexp('^webhooksecret') } });
  const { service, stack } = createService({ events: true, webhookUrl });
  expect(stack.resolve(service.webhookSecret?.secretArn)).toEqual({ Ref: expect.any(String) });
  expect(Object.keys(service.functions)).toContain('post-webhook');
  expect(createService({ events: true }).service.webhookSecret).toBeUndefined();
});

test('customerManagedKey=on encrypts secret and queues, which EventBridge and the function can use', () => {
  const keyed = synthesize({ events: 'on', webhookUrl, customerManagedKey: 'on' });
  const key = findArn('key');
  keyed.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: key });
  for (const RedrivePolicy of [Match.absent(), Match.anyValue()])
    keyed.hasResourceProperties('AWS::SQS::Queue', { KmsMasterKeyId: key, RedrivePolicy });
  const [keyResource] = Object.values(keyed.findResources('AWS::KMS::Key'));
  const statements: { Principal: object; Action: string[] }[] = keyResource?.Properties.KeyPolicy.Statement;
  const ofEvents = statements.filter(({ Principal }) => JSON.stringify(Principal).includes('"events.amazonaws.com"'));
  expect(ofEvents.flatMap(({ Action }) => Action)).toEqual(
    expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey*']),
  );
  const policies = Object.entries(keyed.findResources('AWS::IAM::Policy'));
  const [policy] = policies.filter(([id]) => id.startsWith('webhookpostwebhookrole'));
  const json = JSON.stringify(policy);
  expect(json).toContain('kms:Decrypt');
  expect(json).not.toMatch(/kms:(Encrypt|GenerateDataKey|ReEncrypt)/);
});

test('only rules of this account may send to the encrypted queues, and the key has no condition that would lose events', () => {
  const app = new App();
  const stack = new Stack(app, 'App');
  const encryptionKey = new Key(stack, 'Key') as IKey;
  new UserManagement(stack, 'Users', completeProps({ events: true, webhookUrl, encryptionKey }));
  const template = Template.fromStack(stack);
  type Statement = { Principal: { Service?: string }; Condition?: object };
  const ofRules = (type: string, policy: string) =>
    Object.values(template.findResources(type))
      .flatMap(({ Properties }): Statement[] => Properties[policy].Statement)
      .filter(({ Principal }) => Principal.Service === 'events.amazonaws.com');
  const ofQueues = ofRules('AWS::SQS::QueuePolicy', 'PolicyDocument');
  expect(ofQueues.length).toBeGreaterThan(1);
  for (const { Condition } of ofQueues) expect(JSON.stringify(Condition)).toContain('aws:SourceArn');
  expect(ofRules('AWS::KMS::Key', 'KeyPolicy').filter(({ Condition }) => !Condition)).toHaveLength(1);
});

test.each([
  'http://crm.example.com/hook',
  'https://ada:secret@crm.example.com/hook',
  'https://crm.example.com/hook#users',
  'crm.example.com',
])('%s is rejected as webhookUrl', (url) => {
  expect(() => synthesize({ events: 'on', webhookUrl: url })).toThrow(SettingError);
});

test('webhookUrl turns events on', () => {
  expect(synthesize({ webhookUrl }).toJSON()).toEqual(synthesize({ webhookUrl, events: 'on' }).toJSON());
});
