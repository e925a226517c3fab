import { readFileSync } from 'node:fs';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import type { UserManagementProps } from '../../infra/construct/props.ts';
import { createService, synthesize } from './construct/synth.ts';

const policyOf = (stack: string, service = '') =>
  readFileSync('infra/operators-policy.json', 'utf8')
    .replaceAll('PARTITION', 'aws')
    .replaceAll('REGION', 'eu-west-1')
    .replaceAll('ACCOUNT', '123456789012')
    .replaceAll('SERVICE', service)
    .replaceAll('STACK', stack);

const arn = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:123456789012:${resource}`;
const FUNCTION = arn('lambda', 'function:Users-changesonchange12-AbC');
const TABLE = arn('dynamodb', 'table/Users-users');

async function evaluate(
  action: string,
  resource: string,
  contextVariables: Record<string, string> = {},
  policy = policyOf('Users'),
) {
  const result = await runSimulation(
    {
      request: {
        principal: 'arn:aws:iam::123456789012:role/operator',
        action,
        resource: { resource, accountId: '123456789012' },
        contextVariables,
      },
      identityPolicies: [{ name: 'operators', policy: JSON.parse(policy) }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  return result.resultType === 'error' ? result.errors : result.overallResult;
}

/** Restores and drills need more rights: they delete data and keys, and change permissions. */
const OTHERS = /^(acm|backup|cognito-idp|iam|kms)$/;
const RESTORE =
  /^dynamodb (update-|restore-|wait)|^lambda (update-function-configuration|get-event-source-mapping)|^cloudformation update-/;

const RESOURCES: Record<string, string> = {
  cloudformation: arn('cloudformation', 'stack/Users/1b2c'),
  cloudwatch: '*',
  dynamodb: TABLE,
  health: '*',
  events: arn('events', 'rule/Users-pageseveryminute12-AbC'),
  lambda: FUNCTION,
  logs: arn('logs', 'log-group:Users-logs12-AbC'),
  secretsmanager: arn('secretsmanager', 'secret:webhooksecret12-AbC-dEf'),
  sqs: arn('sqs', 'Users-changesdeadletters12-AbC'),
};
const WITHOUT_RESOURCE = /lambda:(GetAccountSettings|ListEventSourceMappings)|logs:GetQueryResults/;
/** CloudFormation adds this tag. The name of a secret lacks the stack. */
const STACK_TAG = 'aws:ResourceTag/aws:cloudformation:stack-name';
const MAPPING = arn('lambda', 'event-source-mapping:1b2c');
const ACTIONS: Record<string, string> = { 'lambda:Invoke': 'lambda:InvokeFunction' };

const commands = ['infra/runbook.md', 'infra/events.md', 'infra/resources.sh']
  .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/\baws ([a-z-]+ [a-z-]+)/g)])
  .map(([, command = '']) => command)
  .filter((command) => !OTHERS.test(command.split(' ')[0] ?? '') && !RESTORE.test(command));

const toAction = (service: string, name: string) =>
  `${service}:${name.replace(/(^|-)([a-z])/g, (_, _hyphen, letter: string) => letter.toUpperCase())}`;

function toActions(list: string[]): Record<string, string> {
  return Object.fromEntries(
    list.flatMap((command) => {
      const [service = '', name = ''] = command.split(' ');
      if (!(service in RESOURCES)) return [];
      const action = toAction(service, name);
      return [[command, ACTIONS[action] ?? action]];
    }),
  );
}

test.each(Object.entries(toActions(commands)))('the policy of operators allows `aws %s`', async (command, action) => {
  const resource = WITHOUT_RESOURCE.test(action)
    ? '*'
    : action.endsWith('EventSourceMapping')
      ? MAPPING
      : RESOURCES[command.split(' ')[0] ?? ''];
  const context: Record<string, string> = action.endsWith('UpdateEventSourceMapping')
    ? { 'lambda:FunctionArn': FUNCTION }
    : { [STACK_TAG]: 'Users' };
  expect(await evaluate(action, resource ?? '*', context)).toBe('Allowed');
});

const REDRIVEN: Record<string, string> = {
  dynamodb: `${TABLE}/stream/2026-11-27`,
  events: arn('events', 'event-bus/Users'),
  sqs: RESOURCES.sqs ?? '',
};
const redriveCommands = readFileSync('infra/scripts/redrive.ts', 'utf8').matchAll(/'(\w+)',\s*'([a-z]+-[a-z-]+)'/g);

test.each([...redriveCommands].map(([, service = '', name = '']) => [service.replace('streams', ''), name]))(
  'operators may redrive: %s %s',
  async (service, name) => {
    expect(await evaluate(toAction(service ?? '', name ?? ''), REDRIVEN[service ?? ''] ?? '*')).toBe('Allowed');
  },
);

type Resource = { Type: string; Properties: Record<string, unknown> };

/** Resources of operators in a template, as CloudFormation names them, each with an action. */
function listResources(template: Template, stackName: string): [action: string, resource: string][] {
  const resources = Object.entries(template.toJSON().Resources as Record<string, Resource>);
  return resources.flatMap(([id, { Type, Properties }]): [string, string][] => {
    const name = `${stackName}-${id}-AbCdEf123456`;
    switch (Type) {
      case 'AWS::Lambda::Function':
        // The function that customizes tokens has a fixed name, and no alias.
        return Properties.FunctionName ? [] : [['lambda:InvokeFunction', arn('lambda', `function:${name}`)]];
      case 'AWS::SQS::Queue':
        return [['sqs:GetQueueAttributes', arn('sqs', name)]];
      case 'AWS::Events::Rule':
        return Properties.ScheduleExpression ? [['events:EnableRule', arn('events', `rule/${name}`)]] : [];
      case 'AWS::Events::EventBus':
        return [['events:PutEvents', arn('events', `event-bus/${Properties.Name}`)]];
      case 'AWS::Logs::LogGroup': {
        // The name of the access log ends with the first part of the stack's id.
        const [, start] = /"(\/aws\/vendedlogs\/[^"]+)"/.exec(JSON.stringify(Properties)) ?? [];
        return [['logs:StartQuery', arn('logs', `log-group:${start ? `${start}1a2b3c4d` : name}`)]];
      }
      default:
        return [];
    }
  });
}

const SUBJECT = { fields: { sub: { type: 'string', list: true, subject: true, self: 'hidden' } } } as const;
const EVENTS = { events: true, webhookUrl: 'https://crm.example.com/hook' };

const createTemplate = (stackName: string) =>
  synthesize({ stackName, auth: 'cognito', selfSignUp: 'http://localhost:3000/', ...EVENTS, ...SUBJECT });

test('operators may use all resources of their stack, and none of a stack whose name starts with it', async () => {
  const own = listResources(createTemplate('Users'), 'Users');
  const others = listResources(createTemplate('Users-staging'), 'Users-staging');
  expect(own.length).toBeGreaterThan(20);
  for (const [action, name] of own) expect([name, await evaluate(action, name)]).toEqual([name, 'Allowed']);
  for (const [action, name] of others) expect([name, await evaluate(action, name)]).toEqual([name, 'ImplicitlyDenied']);
});

test("operators may use all resources of a service in a team's own CDK app, and none of another service", async () => {
  const policy = policyOf('App', 'Users');
  const list = (id: string) => {
    const props: UserManagementProps = {
      userPool: 'new',
      selfSignUp: ['http://localhost:3000/'],
      ...EVENTS,
      ...SUBJECT,
    };
    return listResources(Template.fromStack(createService(props, undefined, id).stack), 'App');
  };
  for (const [action, name] of list('Users'))
    expect([name, await evaluate(action, name, {}, policy)]).toEqual([name, 'Allowed']);
  for (const [action, name] of list('Staff'))
    expect([name, await evaluate(action, name, {}, policy)]).toEqual([name, 'ImplicitlyDenied']);
});

test('the commands of the runbook are found', () => expect(new Set(commands).size).toBeGreaterThan(12));

test.each(['BatchGetItem', 'BatchWriteItem', 'Scan', 'PutItem', 'ConditionCheckItem'])(
  'table scripts may use %s',
  async (action) => expect(await evaluate(`dynamodb:${action}`, TABLE)).toBe('Allowed'),
);

test('operators may send dead letters of the webhook to its queue', async () => {
  expect(await evaluate('sqs:SendMessage', arn('sqs', 'Users-webhookqueue12-AbC'))).toBe('Allowed');
});

test.each([
  ['dynamodb:DeleteTable', TABLE],
  ['dynamodb:UpdateTable', TABLE],
  ['dynamodb:Scan', `${TABLE}-of-others`],
  ['lambda:UpdateFunctionCode', FUNCTION],
  ['lambda:InvokeFunction', arn('lambda', 'function:Other-function')],
  ['sqs:SendMessage', arn('sqs', 'Users-changesdeadletters12-AbC')],
])('operators may not use %s on %s', async (action, resource) =>
  expect(await evaluate(action, resource)).toBe('ImplicitlyDenied'),
);

test.each(['Other-function', 'Users-staging-changesonchange12-AbC'])(
  'operators may not enable event sources of the function %s',
  async (name) => {
    const context = { 'lambda:FunctionArn': arn('lambda', `function:${name}`) };
    expect(await evaluate('lambda:UpdateEventSourceMapping', MAPPING, context)).toBe('ImplicitlyDenied');
  },
);

test.each([
  ['webhooksecret12-AbC-dEf', 'Others'],
  ['database12-AbC-dEf', 'Users'],
])('operators may not read the secret %s of the stack %s', async (secret, stack) => {
  const resource = arn('secretsmanager', `secret:${secret}`);
  expect(await evaluate('secretsmanager:GetSecretValue', resource, { [STACK_TAG]: stack })).toBe('ImplicitlyDenied');
});
