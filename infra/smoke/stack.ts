import type { Account } from '../preflight/points.ts';
import { type Finding, fails, fine, note, type Point } from '../scripts/points.ts';

export type Stack = Pick<Account, 'settings' | 'region' | 'aws' | 'now'>;

/** Points that AWS knows, not the service. */
export function createStackPoints(stack: Stack): Point[] {
  const { events, webhookUrl } = stack.settings;
  return [
    { name: 'page index', check: () => checkPageIndex(stack) },
    ...(events || webhookUrl ? [{ name: 'events', check: () => checkEvents(stack) }] : []),
    { name: 'alarms', check: () => checkAlarms(stack) },
    { name: 'alarm address', check: () => checkAddress(stack) },
    { name: 'logs', check: () => checkLogs(stack) },
  ];
}

const ask = <Answer>({ aws, region }: Stack, ...args: string[]) => aws<Answer>(...args, '--region', region);

export type Outputs = { ApiUrl: string; GraphqlUrl: string };

type Stacks = { Stacks: { Outputs?: { OutputKey: string; OutputValue: string }[] }[] };

export async function readOutputs(stack: Stack): Promise<Outputs> {
  const { stackName } = stack.settings;
  const { Stacks } = await ask<Stacks>(stack, 'cloudformation', 'describe-stacks', '--stack-name', stackName);
  const find = (name: string) => Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
  const [ApiUrl, GraphqlUrl] = [find('ApiUrl'), find('GraphqlUrl')];
  if (!ApiUrl || !GraphqlUrl) throw new Error(`The stack ${stackName} has no output ApiUrl or GraphqlUrl`);
  return { ApiUrl, GraphqlUrl };
}

type Resource = { LogicalResourceId: string; PhysicalResourceId: string; ResourceType: string };

async function findResource(stack: Stack, type: string, prefix: string): Promise<string> {
  const list = ['cloudformation', 'list-stack-resources', '--stack-name', stack.settings.stackName];
  const { StackResourceSummaries } = await ask<{ StackResourceSummaries: Resource[] }>(stack, ...list);
  const found = StackResourceSummaries.find(
    ({ LogicalResourceId, ResourceType }) => ResourceType === `AWS::${type}` && LogicalResourceId.startsWith(prefix),
  );
  if (!found) throw new Error(`The stack ${stack.settings.stackName} has no AWS::${type} ${prefix}`);
  return found.PhysicalResourceId;
}

const MINUTES = 10;

/** Returns the latest maximum of a metric, or undefined without data. */
async function readMetric(stack: Stack, namespace: string, name: string, dimensions: string[] = []) {
  const now = stack.now();
  const { Datapoints } = await ask<{ Datapoints: { Timestamp: string; Maximum: number }[] }>(
    stack,
    ...['cloudwatch', 'get-metric-statistics', '--namespace', namespace, '--metric-name', name, ...dimensions],
    ...['--start-time', new Date(now - MINUTES * 60_000).toISOString(), '--end-time', new Date(now).toISOString()],
    ...['--period', '60', '--statistics', 'Maximum'],
  );
  return Datapoints.toSorted((a, b) => Date.parse(b.Timestamp) - Date.parse(a.Timestamp))[0]?.Maximum;
}

const SILENT = `no data in ${MINUTES} minutes. After a deploy, wait that long and repeat`;
/** Thresholds of the alarms `index-age` and `event-stream-age`. */
const MAX_INDEX_AGE_SECONDS = 300;
const MAX_STREAM_AGE_MS = 60_000;

async function checkPageIndex(stack: Stack): Promise<Finding> {
  const age = await readMetric(stack, `UserManagement/${stack.settings.stackName}`, 'IndexAgeSeconds');
  if (age === undefined) return fails(`index-pages: ${SILENT}`);
  return age < MAX_INDEX_AGE_SECONDS
    ? fine('index-pages runs')
    : fails(`new users wait ${age} s to be indexed. Read the log of index-pages`);
}

/** `IteratorAge` has data only if the function reads changes. The queue contains changes that the bus rejected. */
async function checkEvents(stack: Stack): Promise<Finding> {
  const publisher = await findResource(stack, 'Lambda::Function', 'eventspublishevents');
  const age = await readMetric(stack, 'AWS/Lambda', 'IteratorAge', [
    '--dimensions',
    `Name=FunctionName,Value=${publisher}`,
  ]);
  if (age === undefined) return fails(`publish-events: ${SILENT}`);
  if (age >= MAX_STREAM_AGE_MS) return fails(`changes wait ${age / 1_000} s. Read the log of publish-events`);
  const queue = await findResource(stack, 'SQS::Queue', 'eventsdeadletters');
  const names = ['--queue-url', queue, '--attribute-names', 'ApproximateNumberOfMessages'];
  const { Attributes } = await ask<{ Attributes: { ApproximateNumberOfMessages: string } }>(
    ...([stack, 'sqs', 'get-queue-attributes', ...names] as const),
  );
  const letters = Number(Attributes.ApproximateNumberOfMessages);
  return letters === 0
    ? fine('publish-events sends changes to the bus')
    : fails(`${letters} changes are in the dead-letter queue ${queue}`);
}

/** Queries without matching requests have no data. CloudFormation's names lack hyphens. */
const MAY_LACK_DATA = /monitoring(routeerrors|rejections)/;

type Alarms = { MetricAlarms: { AlarmName: string; StateValue: string; AlarmActions: string[] }[] };

/** The prefix includes only alarms of this stack: the names of others have another letter after it. */
async function listAlarms(stack: Stack): Promise<Alarms['MetricAlarms']> {
  const prefix = `${stack.settings.stackName}-monitoring`;
  return (await ask<Alarms>(stack, 'cloudwatch', 'describe-alarms', '--alarm-name-prefix', prefix)).MetricAlarms;
}

async function checkAlarms(stack: Stack): Promise<Finding> {
  const alarms = await listAlarms(stack);
  if (alarms.length === 0) return fails('the stack has no alarms');
  const list = (state: string) =>
    alarms.filter(({ StateValue }) => StateValue === state).map(({ AlarmName }) => AlarmName);
  const firing = list('ALARM');
  if (firing.length > 0) return fails(`firing: ${firing.join(', ')}. Read infra/runbook.md`);
  const silent = list('INSUFFICIENT_DATA').filter((name) => !MAY_LACK_DATA.test(name));
  return silent.length > 0
    ? fails(`without data: ${silent.join(', ')}. After a deploy, wait ten minutes and repeat`)
    : fine(`none of ${alarms.length} fires`);
}

async function checkAddress(stack: Stack): Promise<Finding> {
  const topic = (await listAlarms(stack))[0]?.AlarmActions[0];
  if (!topic) return fails('the alarms notify nobody');
  const { Subscriptions } = await ask<{ Subscriptions: { SubscriptionArn: string; Endpoint: string }[] }>(
    ...([stack, 'sns', 'list-subscriptions-by-topic', '--topic-arn', topic] as const),
  );
  if (Subscriptions.length === 0) return note('nobody receives the alarms. Set alarmEmail');
  const pending = Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn === 'PendingConfirmation');
  return pending.length > 0
    ? fails(`not confirmed: ${pending.map(({ Endpoint }) => Endpoint).join(', ')}. Open the link in AWS's email`)
    : fine(`confirmed: ${Subscriptions.map(({ Endpoint }) => Endpoint).join(', ')}`);
}

async function checkLogs(stack: Stack): Promise<Finding> {
  const group = await findResource(stack, 'Logs::LogGroup', 'logs');
  const newest = ['--order-by', 'LastEventTime', '--descending', '--max-items', '50'];
  const { logStreams } = await ask<{ logStreams: { logStreamName: string }[] }>(
    ...([stack, 'logs', 'describe-log-streams', '--log-group-name', group, ...newest] as const),
  );
  // Such as 2026/11/28/UserManagement-getuser1A2B[42]0f1e.
  const functions = new Set(logStreams.map(({ logStreamName }) => logStreamName.replace(/^[\d/]+|\[.*/g, '')));
  return functions.size > 1
    ? fine(`${group} has the logs of ${functions.size} functions`)
    : fails(`${group} has the logs of ${functions.size} functions; expected: several`);
}
