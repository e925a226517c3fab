import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { heartbeatKey } from '../../../lib/dynamodb/keys.ts';
import { heartbeatJob } from '../../../lib/maintenance/heartbeat.ts';
import { jobs } from '../../../lib/maintenance/jobs.ts';
import { operationNames } from '../../../lib/rest/operations.ts';
import { synthesize } from './synth.ts';

const defaultTemplate = synthesize();

test('every alarm has a meaning and notifies the topic', () => {
  const alarms = Object.values(defaultTemplate.findResources('AWS::CloudWatch::Alarm'));
  expect(alarms.map(({ Properties }) => Properties.AlarmDescription)).toMatchInlineSnapshot(`
    [
      "At least 1 percent of the REST requests are answered with 5xx.",
      "Functions crashed, timed out or logged internal errors: at least one in 1,000 log lines of a minute, or one of fewer.",
      "At least 10 requests a minute, REST or GraphQL, got SERVICE_UNAVAILABLE because DynamoDB did not answer.",
      "The p99 latency of REST requests is 1.5 s or more.",
      "Lambda throttles invocations in this account and region: it, or a function, has reached its concurrency limit.",
      "DynamoDB throttles reads or writes: a partition or the table has reached its throughput limit.",
      "on-change gave up on changes: subscribers missed them, or posts of deleted users remain.",
      "Changes wait a minute or more for on-change, or it receives none: subscribers get them late, or not at all.",
      "New users have waited five minutes or more to be indexed, or index-pages does not run: pages get slower.",
    ]
  `);
  defaultTemplate.allResourcesProperties('AWS::CloudWatch::Alarm', {
    AlarmActions: [{ Ref: Match.stringLikeRegexp('alarms') }],
  });
  defaultTemplate.resourceCountIs('AWS::SNS::Subscription', 0);
  synthesize({ alarmEmail: 'ops@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  });
});

test('with events=on, publish-events has the alarms of on-change, of which none rolls code back', () => {
  const events = synthesize({ events: 'on', canary: 'on' });
  const meanings = Object.values(events.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties.AlarmDescription,
  );
  expect(meanings.filter((meaning) => meaning.includes('event bus'))).toMatchInlineSnapshot(`
    [
      "publish-events gave up on changes: the event bus did not receive them.",
      "Changes wait a minute or more for publish-events, or it receives none: the event bus gets them late, or not at all.",
    ]
  `);
  events.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
    AlarmConfiguration: { Alarms: Array.from({ length: 4 }, () => Match.anyValue()) },
  });
});

test('with canary=on, an alarm rolls new code back', () => {
  const canary = synthesize({ canary: 'on' });
  const groups = Object.values(canary.findResources('AWS::CodeDeploy::DeploymentGroup'));
  expect(groups).toHaveLength([...operationNames, 'graphql'].length);
  canary.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    AutoRollbackConfiguration: { Enabled: true, Events: Match.arrayWith(['DEPLOYMENT_STOP_ON_ALARM']) },
    AlarmConfiguration: { Enabled: true, Alarms: Array.from({ length: 4 }, () => Match.anyValue()) },
  });
});

type Alarm = {
  EvaluationPeriods: number;
  DatapointsToAlarm: number;
  Threshold: number;
  TreatMissingData: 'missing' | 'notBreaching';
  AlarmActions: unknown[];
  InsufficientDataActions?: unknown[];
};
type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
/** There is one value per minute; it is undefined if the metric has no data. */
type Minutes = (number | undefined)[];

const alarms = new Map(
  Object.entries(synthesize({ events: 'on' }).findResources('AWS::CloudWatch::Alarm')).map(([id, { Properties }]) => [
    id.replace(/^monitoring(.*).{8}$/, '$1'),
    Properties as Alarm,
  ]),
);

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html */
function evaluate(alarm: Alarm, minutes: Minutes): State {
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, TreatMissingData } = alarm;
  const recent = minutes.slice(-EvaluationPeriods);
  const missing = recent.filter((value) => value === undefined).length;
  if (TreatMissingData === 'missing' && missing === recent.length) return 'INSUFFICIENT_DATA';
  return recent.filter((value) => value !== undefined && value >= Threshold).length >= DatapointsToAlarm
    ? 'ALARM'
    : 'OK';
}

/** Counts the notifications of operators, minute by minute. An alarm is created in the state INSUFFICIENT_DATA. */
function countNotifications(name: string, minutes: Minutes): number {
  const alarm = alarms.get(name) ?? expect.fail(`no alarm ${name}`);
  let state: State = 'INSUFFICIENT_DATA';
  let count = 0;
  minutes.forEach((_, minute) => {
    const next = evaluate(alarm, [...before, ...minutes.slice(0, minute + 1)]);
    const actions = { ALARM: alarm.AlarmActions, INSUFFICIENT_DATA: alarm.InsufficientDataActions, OK: [] }[next];
    if (next !== state && (actions ?? []).length > 0) count++;
    state = next;
  });
  return count;
}

const before: Minutes = Array.from({ length: 10 }, () => undefined);
const repeat = (value: number | undefined, minutes = 10): Minutes => Array.from({ length: minutes }, () => value);
const NONE = undefined;

/** Each metric shows these: [first deploy, idle, broken]. */
type Cases = Record<string, [deploy: Minutes, idle: Minutes, broken: Minutes]>;

/** Each consumer of the stream has these alarms. */
const consumerCases = (prefix: string): Cases => ({
  [`${prefix}deadletters`]: [repeat(NONE), repeat(NONE), [...repeat(NONE), 1]],
  // The event source is disabled: no heartbeat reaches the consumer.
  [`${prefix}streamage`]: [[NONE, NONE, ...repeat(1_200)], repeat(1_200), [...repeat(1_200), ...repeat(NONE)]],
});

const cases: Cases = {
  servererrors: [repeat(NONE), repeat(NONE), [...repeat(0), ...repeat(100)]],
  // Thousandths of the log lines.
  faults: [repeat(NONE), repeat(NONE), [...repeat(NONE), 300]],
  unavailable: [repeat(NONE), repeat(NONE), [...repeat(NONE), ...repeat(20)]],
  latency: [repeat(NONE), repeat(NONE), [...repeat(20), ...repeat(3_000)]],
  functionthrottles: [repeat(NONE), repeat(0), [...repeat(0), ...repeat(3)]],
  tablethrottles: [repeat(0), repeat(0), [...repeat(0), ...repeat(3)]],
  ...consumerCases(''),
  ...consumerCases('event'),
  // The schedule is disabled, or every run fails before its end.
  indexage: [[NONE, NONE, ...repeat(0)], repeat(0), [...repeat(0), ...repeat(NONE)]],
};

test('every alarm has its cases', () => {
  expect(Object.keys(cases).toSorted()).toEqual([...alarms.keys()].toSorted());
});

describe.each(Object.entries(cases))('the alarm %s', (name, [deploy, idle, broken]) => {
  test('is silent during the first deploy', () => expect(countNotifications(name, deploy)).toBe(0));
  test('is silent while the service is idle', () => expect(countNotifications(name, idle)).toBe(0));
  test('notifies once when what it watches breaks', () => expect(countNotifications(name, broken)).toBe(1));
});

test('stream-age also fires when the event source retries a batch that fails', () => {
  expect(countNotifications('streamage', [...repeat(1_200), ...repeat(90_000)])).toBe(1);
});

test('a heartbeat each minute reaches both consumers, and nothing pays for metrics of event sources', () => {
  const sources = Object.values(synthesize({ events: 'on' }).findResources('AWS::Lambda::EventSourceMapping'));
  expect(sources).toHaveLength(2);
  for (const { Properties } of sources) {
    const patterns = Properties.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern));
    expect(patterns).toContainEqual({ dynamodb: { Keys: { pk: { S: [heartbeatKey.pk] } } } });
    expect(Properties).not.toHaveProperty('MetricsConfig');
  }
  expect(jobs).toContain(heartbeatJob);
});

test('index-age also fires when indexing falls behind', () => {
  expect(countNotifications('indexage', [...repeat(0), ...repeat(600)])).toBe(1);
});

describe('an alarm that rolls back', () => {
  const canary = synthesize({ canary: 'on' });
  const [group] = Object.values(canary.findResources('AWS::CodeDeploy::DeploymentGroup'));
  const ids: string[] = group?.Properties.AlarmConfiguration.Alarms.map(
    ({ Name }: { Name: { Ref: string } }) => Name.Ref,
  );
  const found = canary.findResources('AWS::CloudWatch::Alarm');
  const CANARY_SECONDS = 300;
  /** CloudWatch may have a metric so late. */
  const DELAY_SECONDS = 120;

  test.each(ids)('fires within the five minutes of a canary: %s', (id) => {
    const { Period, Metrics = [], DatapointsToAlarm } = found[id]?.Properties ?? {};
    const periods = [
      Period,
      ...Metrics.map(({ MetricStat }: { MetricStat?: { Period: number } }) => MetricStat?.Period),
    ];
    const period = Math.max(...periods.filter((each) => each !== undefined));
    // The minute in which the canary starts has little of it.
    expect(period * (1 + DatapointsToAlarm) + DELAY_SECONDS).toBeLessThanOrEqual(CANARY_SECONDS);
  });
});

describe('faults', () => {
  const [alarm] = Object.values(
    defaultTemplate.findResources('AWS::CloudWatch::Alarm', {
      Properties: { AlarmDescription: Match.stringLikeRegexp('crashed') },
    }),
  );
  const { Metrics = [], Threshold } = alarm?.Properties ?? {};
  const expression: string = Metrics.find(({ Expression }: { Expression?: string }) => Expression)?.Expression;
  /** The arithmetic of CloudWatch is that of JavaScript here. */
  const fires = (faults: number, lines: number): boolean =>
    new Function('faults', 'lines', `return ${expression}`)(faults, lines) >= Threshold;

  test.each([
    ['one time-out among 1,000 requests a second', 1, 60_000, false],
    ['five internal errors among 1,000 requests a second', 5, 60_000, false],
    ['one in 1,000 of 1,000 requests a second', 61, 60_000, true],
    ['the only request of a minute', 1, 2, true],
    ['one of 300 requests', 1, 300, true],
  ])('of %s', (_, faults, lines, expected) => expect(fires(faults, lines)).toBe(expected));

  test('are compared with the lines of the group in which they are', () => {
    const [filter] = Object.values(
      defaultTemplate.findResources('AWS::Logs::MetricFilter', {
        Properties: { FilterPattern: Match.stringLikeRegexp('platform.report') },
      }),
    );
    const lines = Metrics.find(
      ({ MetricStat }: { MetricStat?: { Metric: { MetricName: string } } }) =>
        MetricStat?.Metric.MetricName === 'IncomingLogEvents',
    );
    expect(lines.MetricStat.Metric.Dimensions).toEqual([
      { Name: 'LogGroupName', Value: filter?.Properties.LogGroupName },
    ]);
  });
});

test('Lambda writes its own lines only of failures, which the filter of faults counts once each', () => {
  const handlers = Object.values(defaultTemplate.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => !Properties.Code.ZipFile,
  );
  expect(handlers.length).toBeGreaterThan(operationNames.length);
  for (const { Properties } of handlers) expect(Properties.LoggingConfig.SystemLogLevel).toBe('WARN');
  const patterns = Object.values(defaultTemplate.findResources('AWS::Logs::MetricFilter')).map(
    ({ Properties }) => Properties.FilterPattern,
  );
  const [pattern] = patterns.filter((each) => each.includes('platform.report'));
  for (const status of ['error', 'timeout', 'failure']) expect(pattern).toContain(`$.record.status = "${status}"`);
  expect(pattern, 'another line about the same invocation').not.toContain('runtimeDone');
});

test('a dashboard is opt-in', () => {
  defaultTemplate.resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  synthesize({ dashboard: 'on' }).resourceCountIs('AWS::CloudWatch::Dashboard', 1);
});
