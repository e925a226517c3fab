import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { createService, FUNCTION_COUNT, synthesize } from './synth.ts';

const settings = { events: 'on' };
const onBus = { 'Fn::GetAtt': [Match.stringLikeRegexp('^eventsbus'), 'Arn'] };

test('without the setting there is no bus, no function and no second reader of the stream', () => {
  const template = synthesize();
  for (const type of ['AWS::Events::EventBus', 'AWS::EventSchemas::Registry', 'AWS::EventSchemas::Schema'])
    template.resourceCountIs(type, 0);
  template.resourceCountIs('AWS::Lambda::EventSourceMapping', 1);
  template.resourceCountIs('AWS::SQS::Queue', 1);
  expect(JSON.stringify(template.toJSON())).not.toMatch(/publishevents|events:PutEvents/);
});

test('publish-events reads new entries of users and posts from the stream, beside on-change', () => {
  synthesize(settings).resourceCountIs('AWS::Lambda::EventSourceMapping', 2);
  synthesize(settings).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    FunctionName: { Ref: Match.stringLikeRegexp('^eventspublishevents') },
    EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^table'), 'StreamArn'] },
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    MaximumRecordAgeInSeconds: Match.absent(),
    MaximumRetryAttempts: -1,
    DestinationConfig: {
      OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('^eventsdeadletters'), 'Arn'] } },
    },
    FilterCriteria: {
      Filters: Match.arrayWith([
        {
          Pattern: JSON.stringify({
            eventName: ['INSERT'],
            dynamodb: { Keys: { pk: { S: [{ prefix: 'CHANGES#' }] } }, NewImage: { kind: { S: [{ exists: true }] } } },
          }),
        },
      ]),
    },
  });
});

test('with groups, publish-events also reads items of groups, and the registry has their schemas', () => {
  const template = synthesize({ ...settings, groups: 'on' });
  const Pattern = JSON.stringify({ dynamodb: { Keys: { pk: { S: [{ prefix: 'GROUP#' }] }, sk: { S: ['GROUP'] } } } });
  template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
    FunctionName: { Ref: Match.stringLikeRegexp('^eventspublishevents') },
    FilterCriteria: { Filters: Match.arrayWith([{ Pattern }]) },
  });
  template.hasResourceProperties('AWS::EventSchemas::Schema', { SchemaName: 'group.deleted' });
  const without = JSON.stringify(synthesize(settings).toJSON());
  expect(without).not.toMatch(/GROUP#|group\.deleted/);
});

test('publish-events may put events on the bus of the stack, read the stream, and nothing of the table', () => {
  synthesize(settings).hasResourceProperties('AWS::Lambda::Function', {
    Handler: 'publish-events.handler',
    Environment: {
      Variables: Match.objectLike({
        EVENT_BUS_NAME: 'UserManagement',
        EVENT_SOURCE: 'user-management/UserManagement',
        DEAD_LETTER_QUEUE_URL: { Ref: Match.stringLikeRegexp('^eventsdeadletters') },
      }),
    },
  });
  const [policy] = Object.entries(synthesize(settings).findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith('eventspublisheventsrole'))
    .map(([, { Properties }]) => Properties.PolicyDocument.Statement as { Action: string | string[] }[]);
  expect(policy?.flatMap(({ Action }) => Action).toSorted()).toEqual([
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
    'events:PutEvents',
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:SendMessage',
  ]);
  synthesize(settings).hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'events:PutEvents', Resource: onBus })]) },
  });
});

test('the bus has the name of the service, and the outputs name it', () => {
  synthesize(settings).hasResourceProperties('AWS::Events::EventBus', { Name: 'UserManagement' });
  synthesize(settings).hasOutput('EventBusName', { Value: { Ref: Match.stringLikeRegexp('^eventsbus') } });
  synthesize(settings).hasOutput('EventBusArn', { Value: onBus });
});

test('a team gets the bus as an attribute of the construct', () => {
  const { service, stack } = createService({ events: true });
  expect(stack.resolve(service.eventBus?.eventBusArn)).toMatchObject({ 'Fn::GetAtt': [expect.any(String), 'Arn'] });
  expect(Object.keys(service.functions)).toContain('publish-events');
  Template.fromStack(stack).resourceCountIs('AWS::Lambda::Function', FUNCTION_COUNT + 1);
  expect(createService().service.eventBus).toBeUndefined();
});

test('customerManagedKey=on also encrypts the bus, whose events go to the dead-letter queue while the key is disabled', () => {
  const keyed = synthesize({ events: 'on', customerManagedKey: 'on' });
  const queue = { 'Fn::GetAtt': [Match.stringLikeRegexp('^eventsdeadletters'), 'Arn'] };
  keyed.hasResourceProperties('AWS::Events::EventBus', {
    KmsKeyIdentifier: { 'Fn::GetAtt': [Match.stringLikeRegexp('^key'), 'Arn'] },
    DeadLetterConfig: { Arn: queue },
  });
  keyed.hasResourceProperties('AWS::SQS::QueuePolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Resource: queue,
          Condition: { ArnEquals: { 'aws:SourceArn': Match.anyValue() } },
        }),
      ]),
    },
  });
  // The function encrypts events for the bus.
  const policies = Object.entries(keyed.findResources('AWS::IAM::Policy'));
  const [, ofFunction] = policies.find(([id]) => id.startsWith('eventspublisheventsrolekeys')) ?? [];
  expect(JSON.stringify(ofFunction)).toContain('kms:GenerateDataKey*');
  keyed.hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([Match.objectLike({ Principal: { Service: 'events.amazonaws.com' } })]),
    },
  });
});

test('the registry has a schema for each type of event, with the own fields', () => {
  const fields = { nickname: { type: 'string', description: 'What friends say.' } };
  const template = synthesize({ events: 'on', fields });
  const schemas = Object.values(template.findResources('AWS::EventSchemas::Schema')).map(
    ({ Properties }) => Properties as { SchemaName: string; Type: string; Content: string },
  );
  expect(schemas.map(({ SchemaName }) => SchemaName).toSorted()).toEqual([
    'post.created',
    'post.deleted',
    'post.updated',
    'user.created',
    'user.deleted',
    'user.updated',
  ]);
  expect(new Set(schemas.map(({ Type }) => Type))).toEqual(new Set(['JSONSchemaDraft4']));
  const created = JSON.parse(schemas.find(({ SchemaName }) => SchemaName === 'user.created')?.Content ?? '');
  expect(created).toMatchObject({
    $schema: 'http://json-schema.org/draft-04/schema#',
    properties: {
      'detail-type': { enum: ['user.created'] },
      detail: {
        properties: { data: { properties: { after: { properties: { nickname: fields.nickname } } } } },
      },
    },
  });
});
