import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect, test } from 'vitest';
import { ACCOUNT, resolve } from './policies.ts';
import { synthesize } from './synth.ts';

type Statement = { Principal: { Service?: string | string[] }; Condition?: object };

const SETTINGS = {
  ...{ events: 'on', webhookUrl: 'https://crm.example.com/hook', backupDays: '30', customerManagedKey: 'on' },
  ...{ auth: 'none', console: 'on' },
};
const template = synthesize(SETTINGS);

const find = (type: string, start = '') =>
  Object.entries(template.findResources(type)).find(([id]) => id.startsWith(start)) ??
  expect.fail(`no ${type} ${start}`);

const createArn = (service: string, resource: string) => `arn:aws:${service}:us-east-1:${ACCOUNT}:${resource}`;
const FORMATS: Record<string, (id: string) => string> = {
  'AWS::Events::Rule': (id) => createArn('events', `rule/${id}`),
  'AWS::KMS::Key': (id) => createArn('kms', `key/${id}`),
  'AWS::SNS::Topic': (id) => createArn('sns', id),
  'AWS::SQS::Queue': (id) => createArn('sqs', id),
};
const arns = Object.fromEntries(
  Object.entries(FORMATS).flatMap(([type, format]) =>
    Object.keys(template.findResources(type)).map((id) => [id, format(id)]),
  ),
);
const arnOf = (type: string, start = '') => arns[find(type, start)[0]] as string;

/** Documents by the type of the resource that they protect. */
const POLICIES = {
  queue: ['AWS::SQS::QueuePolicy', 'PolicyDocument', 'AWS::SQS::Queue'],
  topic: ['AWS::SNS::TopicPolicy', 'PolicyDocument', 'AWS::SNS::Topic'],
  key: ['AWS::KMS::Key', 'KeyPolicy', 'AWS::KMS::Key'],
} as const;

type Hop = {
  service: string;
  to: keyof typeof POLICIES;
  id?: string;
  actions: string[];
  /** As AWS documents it for this hop. */
  context: Record<string, string>;
};

const SECURE = { 'aws:SecureTransport': 'true' };
const WRITES_ENCRYPTED = ['kms:GenerateDataKey', 'kms:Decrypt'];
const BUS = createArn('events', 'event-bus/UserManagement');
const alarm = { 'aws:SourceAccount': ACCOUNT, 'aws:SourceArn': createArn('cloudwatch', 'alarm:latency') };
const webhookRule = { ...SECURE, 'aws:SourceArn': arnOf('AWS::Events::Rule', 'webhook') };

const events = 'events.amazonaws.com';
const sends = ['sqs:SendMessage'];
const hops: Record<string, Hop> = {
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sqs-permissions
  'a rule to its queue': { service: events, to: 'queue', id: 'webhookqueue', actions: sends, context: webhookRule },
  'a rule to its dead-letter queue': {
    ...{ service: events, to: 'queue', id: 'webhookdeadletters', actions: sends, context: webhookRule },
  },
  'a bus to its dead-letter queue': {
    ...{ service: events, to: 'queue', id: 'eventsdeadletters', actions: sends },
    context: { ...SECURE, 'aws:SourceArn': BUS },
  },
  // AWS documents no context: see `allowNotifications`.
  'a rule to the key of its queue': { service: events, to: 'key', actions: WRITES_ENCRYPTED, context: {} },
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-encryption-key-policy.html
  'a bus to its key': {
    ...{ service: events, to: 'key', actions: ['kms:DescribeKey', ...WRITES_ENCRYPTED] },
    context: {
      ...{ 'aws:SourceAccount': ACCOUNT, 'aws:SourceArn': BUS },
      'kms:EncryptionContext:aws:events:event-bus:arn': BUS,
    },
  },
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
  'an alarm to its topic': {
    ...{ service: 'cloudwatch.amazonaws.com', to: 'topic', actions: ['sns:Publish'], context: { ...SECURE, ...alarm } },
  },
  'an alarm to the key of its topic': {
    ...{ service: 'cloudwatch.amazonaws.com', to: 'key', actions: WRITES_ENCRYPTED, context: alarm },
  },
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions
  'a failed backup to the topic': { service: events, to: 'topic', actions: ['sns:Publish'], context: SECURE },
};

async function evaluate({ service, to, id, actions, context }: Hop, change = (statements: Statement[]) => statements) {
  const [policyType, property, type] = POLICIES[to];
  const [, { Properties }] = find(policyType, id);
  const policy = resolve(Properties[property], arns) as { Statement: Statement[] };
  const results = actions.map(async (action) => {
    const result = await runSimulation(
      {
        request: {
          principal: service,
          action,
          resource: { resource: arnOf(type, id), accountId: ACCOUNT },
          contextVariables: context,
        },
        identityPolicies: [],
        resourcePolicy: { ...policy, Statement: change(policy.Statement) },
        serviceControlPolicies: [],
        resourceControlPolicies: [],
      },
      {},
    );
    if (result.resultType !== 'single') throw new Error(`IAM cannot evaluate ${action}: ${JSON.stringify(result)}`);
    return result.overallResult;
  });
  return [...new Set(await Promise.all(results))];
}

test.each(Object.entries(hops))('%s is allowed', async (_, hop) => {
  expect(await evaluate(hop)).toEqual(['Allowed']);
});

test.each(Object.entries(hops))('%s is denied without its statement', async (_, hop) => {
  const isOther = ({ Principal }: Statement) => ![Principal.Service].flat().includes(hop.service);
  expect(await evaluate(hop, (statements) => statements.filter(isOther))).toEqual(['ImplicitlyDenied']);
});

test('a condition on the account, which EventBridge does not send, would deny the key', async () => {
  const Condition = { StringEquals: { 'aws:SourceAccount': ACCOUNT } };
  const hop = hops['a rule to the key of its queue'] as Hop;
  const changed = evaluate(hop, (statements) => statements.map((each) => ({ Condition, ...each })));
  expect(await changed).toEqual(['ImplicitlyDenied']);
});

test.each(['a rule to its queue', 'a rule to its dead-letter queue', 'a bus to its dead-letter queue'])(
  '%s is denied for the rule or bus of another account',
  async (name) => {
    const hop = hops[name] as Hop;
    const foreign = { ...hop.context, 'aws:SourceArn': 'arn:aws:events:us-east-1:210987654321:rule/theirs' };
    expect(await evaluate({ ...hop, context: foreign })).toEqual(['ImplicitlyDenied']);
  },
);

test('CloudFront may send a POST body to the Function URL, because it does not sign', () => {
  const [urlId, url] = find('AWS::Lambda::Url');
  expect(url.Properties.AuthType).toBe('NONE');
  const [, { Properties }] = find('AWS::CloudFront::Distribution');
  const origins: Record<string, unknown>[] = Properties.DistributionConfig.Origins;
  const graphql = origins.filter((each) => JSON.stringify(each).includes(urlId));
  expect(graphql).toHaveLength(1);
  // Origin access control would require clients to send the hash of the body:
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-restricting-access-to-lambda.html
  expect(graphql[0]).not.toHaveProperty('OriginAccessControlId');
  // Function URLs need both: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
  const open = Object.values(template.findResources('AWS::Lambda::Permission', { Properties: { Principal: '*' } }));
  expect(open.map((each) => each.Properties)).toEqual([
    expect.objectContaining({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' }),
    expect.objectContaining({ Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true }),
  ]);
});
