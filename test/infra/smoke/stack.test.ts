import { expect, test } from 'vitest';
import { AwsError } from '../../../infra/scripts/aws-cli.ts';
import { checkPoint, formatFinding } from '../../../infra/scripts/points.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { createStackPoints, readOutputs, type Stack } from '../../../infra/smoke/stack.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:111111111111:UserManagement-monitoring-alarms';
const NOW = Date.parse('2026-11-28T12:00:00Z');

/** Answers by command of the AWS CLI, in the shapes of its service models. */
type Answers = Record<string, object>;

const datapoints = (...values: number[]) => ({
  Label: 'metric',
  Datapoints: values.map((Maximum, minutes) => ({
    Timestamp: new Date(NOW - (values.length - minutes) * 60_000).toISOString(),
    Maximum,
    Unit: 'None',
  })),
});
const alarms = (states: Record<string, string>) => ({
  CompositeAlarms: [],
  MetricAlarms: Object.entries(states).map(([name, StateValue]) => ({
    AlarmName: `UserManagement-monitoring${name}`,
    StateValue,
    AlarmActions: [TOPIC],
  })),
});
const subscriptions = (...arns: string[]) => ({
  Subscriptions: arns.map((SubscriptionArn) => ({
    SubscriptionArn,
    Protocol: 'email',
    Endpoint: 'ops@example.com',
    TopicArn: TOPIC,
  })),
});
const resource = (ResourceType: string, LogicalResourceId: string) => ({
  LogicalResourceId,
  PhysicalResourceId: `UserManagement-${LogicalResourceId}`,
  ResourceType,
  ResourceStatus: 'CREATE_COMPLETE',
});
const streams = (...names: string[]) => ({
  logStreams: names.map((logStreamName) => ({ logStreamName, storedBytes: 0 })),
});
const letters = (ApproximateNumberOfMessages: string) => ({ Attributes: { ApproximateNumberOfMessages } });

const AGE = 'cloudwatch get-metric-statistics IteratorAge';
const INDEX = 'cloudwatch get-metric-statistics IndexAgeSeconds';
const ALARMS = 'cloudwatch describe-alarms';
const SUBSCRIPTIONS = 'sns list-subscriptions-by-topic';
const STREAMS = 'logs describe-log-streams';
const LETTERS = 'sqs get-queue-attributes';

const healthy: Answers = {
  [INDEX]: datapoints(900, 0, 0),
  [AGE]: datapoints(90_000, 1_200),
  [ALARMS]: alarms({
    latency: 'OK',
    indexage: 'OK',
    routeerrors: 'INSUFFICIENT_DATA',
    rejections: 'INSUFFICIENT_DATA',
  }),
  [SUBSCRIPTIONS]: subscriptions(`${TOPIC}:1b2c`),
  [LETTERS]: letters('0'),
  [STREAMS]: streams('2026/11/28/UserManagement-getuser1A[42]0f', '2026/11/28/UserManagement-onchange2B[$LATEST]1e'),
  'cloudformation list-stack-resources': {
    StackResourceSummaries: [
      resource('AWS::Lambda::Function', 'eventspublishevents3C'),
      resource('AWS::SQS::Queue', 'eventsdeadletters4D'),
      resource('AWS::Logs::LogGroup', 'logs5E'),
    ],
  },
};

function createStack(answers: Answers = {}): Stack {
  const all = { ...healthy, ...answers };
  return {
    settings: readSettings({ events: true }),
    region: 'eu-west-1',
    now: () => NOW,
    aws: async <Answer>(...args: string[]) => {
      const answer =
        all[`${args[0]} ${args[1]} ${args[args.indexOf('--metric-name') + 1]}`] ?? all[`${args[0]} ${args[1]}`];
      if (answer instanceof Error) throw answer;
      if (!answer) throw new Error(`No answer for ${args.join(' ')}`);
      return answer as Answer;
    },
  };
}

const look = (answers?: Answers) =>
  Promise.all(createStackPoints(createStack(answers)).map(async (point) => formatFinding(await checkPoint(point))));

test('every point of a healthy stack is fine', async () => {
  expect(await look()).toEqual([
    'ok    page index: index-pages runs',
    'ok    events: publish-events sends changes to the bus',
    'ok    alarms: none of 4 fires',
    'ok    alarm address: confirmed: ops@example.com',
    'ok    logs: UserManagement-logs5E has the logs of 2 functions',
  ]);
});

test.each<[string, Answers]>([
  ['FAILS page index: index-pages: no data in 10 minutes', { [INDEX]: datapoints() }],
  ['FAILS page index: new users wait 400 s', { [INDEX]: datapoints(0, 400) }],
  ['FAILS events: publish-events: no data in 10 minutes', { [AGE]: datapoints() }],
  ['FAILS events: changes wait 90 s', { [AGE]: datapoints(90_000) }],
  [
    'FAILS events: 3 changes are in the dead-letter queue UserManagement-eventsdeadletters4D',
    { [LETTERS]: letters('3') },
  ],
  ['FAILS alarms: the stack has no alarms', { [ALARMS]: alarms({}) }],
  [
    'FAILS alarms: firing: UserManagement-monitoringlatency. Read infra/runbook.md',
    { [ALARMS]: alarms({ latency: 'ALARM', streamage: 'INSUFFICIENT_DATA' }) },
  ],
  [
    'FAILS alarms: without data: UserManagement-monitoringstreamage. After a deploy, wait',
    { [ALARMS]: alarms({ latency: 'OK', streamage: 'INSUFFICIENT_DATA' }) },
  ],
  ['FAILS alarm address: not confirmed: ops@example.com', { [SUBSCRIPTIONS]: subscriptions('PendingConfirmation') }],
  ['note  alarm address: nobody receives the alarms', { [SUBSCRIPTIONS]: subscriptions() }],
  [
    'FAILS logs: UserManagement-logs5E has the logs of 1 functions',
    { [STREAMS]: streams('2026/11/28/UserManagement-getuser1A[42]0f', '2026/11/28/UserManagement-getuser1A[43]1e') },
  ],
  [
    '?     logs: not checked, because the right logs:DescribeLogStreams is missing',
    {
      [STREAMS]: new AwsError(
        'AccessDeniedException',
        'User: arn is not authorized to perform: logs:DescribeLogStreams on resource: x',
      ),
    },
  ],
])('%s', async (line, answers) => {
  expect(await look(answers)).toContainEqual(expect.stringContaining(line));
});

test('URLs are outputs of the stack', async () => {
  const stack = (Outputs: object[]) => createStack({ 'cloudformation describe-stacks': { Stacks: [{ Outputs }] } });
  const output = (OutputKey: string) => ({ OutputKey, OutputValue: `https://${OutputKey}/` });
  expect(await readOutputs(stack([output('GraphqlUrl'), output('ApiUrl')]))).toEqual({
    ApiUrl: 'https://ApiUrl/',
    GraphqlUrl: 'https://GraphqlUrl/',
  });
  await expect(readOutputs(stack([output('ApiUrl')]))).rejects.toThrow('has no output ApiUrl or GraphqlUrl');
});
