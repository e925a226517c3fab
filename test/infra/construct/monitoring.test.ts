import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { heartbeatKey } from '../../../lib/dynamodb/keys.ts';
import { PersonBlocked } from '../../../lib/features/me/person-blocked.ts';
import { heartbeatJob } from '../../../lib/maintenance/heartbeat.ts';
import { jobs } from '../../../lib/maintenance/jobs.ts';
import { operationNames } from '../../../lib/rest/operations.ts';
import { synthesize } from './synth.ts';

const ROLLBACK_ALARMS = 8;

test('every alarm has a meaning and notifies the topic', () => {
  const alarms = Object.values(synthesize().findResources('AWS::CloudWatch::Alarm'));
  expect(alarms.map(({ Properties }) => Properties.AlarmDescription.split(' Runbook: ')[0])).toMatchInlineSnapshot(`
    [
      "At least 1 percent of the REST requests are answered with 5xx.",
      "Functions log internal errors in several minutes.",
      "A route fails with internal errors in at least half of its requests to one process.",
      "At least half of the invocations of a function crashed, timed out or could not be started in a minute.",
      "A background function fails in almost every minute of 15: a job of index-pages, or an erasure that has waited for an hour; on-change or publish-events cannot be started.",
      "At least 10 GraphQL requests a minute are answered with 5xx, by the function or in its place.",
      "Half of the GraphQL requests take 1.5 s or more.",
      "At least 90 percent of the requests are rejected with 401 or 403, for 15 minutes.",
      "At least 10 requests a minute, REST or GraphQL, got SERVICE_UNAVAILABLE because DynamoDB did not answer.",
      "The p99 latency of REST requests is 1.5 s or more.",
      "Lambda throttles requests: a function, or the account, has reached its concurrency limit.",
      "DynamoDB throttles reads or writes: a partition or the table has reached its throughput limit.",
      "on-change sent changes to its dead-letter queue: subscribers missed them, or posts of deleted users remain.",
      "Changes wait a minute or more for on-change, or it receives none: subscribers get them late, or not at all.",
      "EventBridge cannot reach the target of a rule, or a dead-letter queue: an event may be lost.",
      "New users have waited five minutes or more to be indexed, or index-pages does not run: pages get slower.",
    ]
  `);
  for (const [id, { Properties }] of Object.entries(synthesize().findResources('AWS::CloudWatch::Alarm'))) {
    const [, heading = ''] = Properties.AlarmDescription.split(' Runbook: infra/runbook.md#');
    expect(id).toContain(`monitoring${heading.replaceAll('-', '')}`);
  }
  const topic = { Ref: Match.stringLikeRegexp('alarms') };
  synthesize().allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmActions: [topic], OKActions: [topic] });
  synthesize().resourceCountIs('AWS::SNS::Subscription', 0);
  synthesize({ alarmEmail: 'ops@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'email',
    Endpoint: 'ops@example.com',
  });
});

test('only alarms of this account may publish to the topic', () => {
  synthesize().hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    },
  });
});

test('with events=on, publish-events has the same alarms as on-change, and none rolls code back', () => {
  const events = synthesize({ events: 'on', canary: 'on' });
  const meanings = Object.values(events.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties.AlarmDescription.split(' Runbook: ')[0],
  );
  expect(meanings.filter((meaning) => meaning.includes('event bus'))).toMatchInlineSnapshot(`
    [
      "publish-events sent changes to its dead-letter queue: the event bus did not receive them.",
      "Changes wait a minute or more for publish-events, or it receives none: the event bus gets them late, or not at all.",
    ]
  `);
  events.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
    AlarmConfiguration: { Alarms: Array.from({ length: ROLLBACK_ALARMS }, () => Match.anyValue()) },
  });
});

test('with webhookUrl, an alarm reports dead letters, and function-errors watches post-webhook', () => {
  const webhook = synthesize({ events: 'on', webhookUrl: 'https://crm.example.com/hook' });
  webhook.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmDescription: Match.stringLikeRegexp(
      '^Events are in the dead-letter queue of the webhook: .*#webhook-dead-letters$',
    ),
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Dimensions: [
      { Name: 'QueueName', Value: { 'Fn::GetAtt': [Match.stringLikeRegexp('^webhookdeadletters'), 'QueueName'] } },
    ],
    Threshold: 1,
    EvaluationPeriods: 1,
  });
  expect(listFunctions(webhook, 'functionerrors')).toContain('webhookpostwebhook');
});

test('each rule has an alarm on failed invocations, and on events that its dead-letter queue did not receive', () => {
  const template = synthesize({ events: 'on', webhookUrl: 'https://crm.example.com/hook', backupDays: '30' });
  const rules = Object.entries(template.findResources('AWS::Events::Rule'));
  expect(rules).toHaveLength(3);
  const metrics = Object.values(template.findResources('AWS::CloudWatch::Alarm'))
    .filter(({ Properties }) => Properties.AlarmDescription.endsWith('#rule-failures'))
    .flatMap(({ Properties }) => Properties.Metrics as { MetricStat?: { Metric: object } }[])
    .flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  const expected = rules.flatMap(([id, { Properties }]) => {
    const { EventBusName, Targets } = Properties;
    const names = ['FailedInvocations', ...(Targets[0].DeadLetterConfig ? ['InvocationsFailedToBeSentToDlq'] : [])];
    const ruleOfBus = { 'Fn::Select': [2, { 'Fn::Split': ['/', { 'Fn::GetAtt': [id, 'Arn'] }] }] };
    const Dimensions = EventBusName
      ? [
          { Name: 'EventBusName', Value: EventBusName },
          { Name: 'RuleName', Value: ruleOfBus },
        ]
      : [{ Name: 'RuleName', Value: { Ref: id } }];
    return names.map((MetricName) => ({ Namespace: 'AWS/Events', MetricName, Dimensions }));
  });
  expect(metrics).toHaveLength(expected.length);
  expect(metrics).toEqual(expect.arrayContaining(expected));
});

test('with canary=on, an alarm rolls new code back', () => {
  synthesize().resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 0);
  const canary = synthesize({ canary: 'on' });
  const groups = Object.values(canary.findResources('AWS::CodeDeploy::DeploymentGroup'));
  expect(groups).toHaveLength([...operationNames, 'graphql'].length);
  canary.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
    DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
    AutoRollbackConfiguration: { Enabled: true, Events: Match.arrayWith(['DEPLOYMENT_STOP_ON_ALARM']) },
    AlarmConfiguration: { Enabled: true, Alarms: Array.from({ length: ROLLBACK_ALARMS }, () => Match.anyValue()) },
  });
  const [role, ...others] = new Set(groups.map(({ Properties }) => Properties.ServiceRoleArn['Fn::GetAtt'][0]));
  expect(others).toEqual([]);
  expect(canary.findResources('AWS::IAM::Role')[role]?.Properties).toMatchObject({
    AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'codedeploy.amazonaws.com' } }] },
    ManagedPolicyArns: [
      { 'Fn::Join': ['', expect.arrayContaining([expect.stringMatching('/AWSCodeDeployRoleForLambdaLimited$')])] },
    ],
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
/** Undefined: no data in that minute. */
type Minutes = (number | undefined)[];

function findAlarms(): Map<string, Alarm> {
  const template = synthesize({ events: 'on', webhookUrl: 'https://crm.example.com/hook' });
  const found = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  return new Map(found.map(([id, { Properties }]) => [id.replace(/^monitoring(.*).{8}$/, '$1'), Properties as Alarm]));
}

/**
 * AWS's rules for missing data:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 */
function evaluate(alarm: Alarm, minutes: Minutes): State {
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, TreatMissingData } = alarm;
  const recent = minutes.slice(-EvaluationPeriods);
  const missing = recent.filter((value) => value === undefined).length;
  if (TreatMissingData === 'missing' && missing === recent.length) return 'INSUFFICIENT_DATA';
  return recent.filter((value) => value !== undefined && value >= Threshold).length >= DatapointsToAlarm
    ? 'ALARM'
    : 'OK';
}

/** A new alarm has the state INSUFFICIENT_DATA. */
function countNotifications(name: string, minutes: Minutes): number {
  const alarm = findAlarms().get(name) ?? expect.fail(`no alarm ${name}`);
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

/** Values after the first deploy, while idle, and while broken. */
type Cases = Record<string, [deploy: Minutes, idle: Minutes, broken: Minutes]>;

const consumerCases = (prefix: string): Cases => ({
  [`${prefix}deadletters`]: [repeat(NONE), repeat(NONE), [...repeat(NONE), 1]],
  // A disabled event source mapping reports no age, as at the end of the broken case.
  [`${prefix}streamage`]: [[NONE, NONE, ...repeat(1_200)], repeat(1_200), [...repeat(1_200), ...repeat(NONE)]],
});

const cases: Cases = {
  servererrors: [repeat(NONE), repeat(NONE), [...repeat(0), ...repeat(100)]],
  internalerrors: [repeat(NONE), [...repeat(NONE), 1, ...repeat(NONE)], [...repeat(NONE), ...repeat(2)]],
  routeerrors: [repeat(NONE), repeat(0.01), [...repeat(NONE), 1]],
  functionerrors: [repeat(NONE), repeat(0.01), [...repeat(NONE), 1]],
  joberrors: [repeat(NONE), [...repeat(0), ...repeat(1, 5), ...repeat(0)], [...repeat(0), ...repeat(1, 15)]],
  graphqlerrors: [repeat(NONE), repeat(NONE), [...repeat(NONE), ...repeat(20)]],
  graphqllatency: [repeat(NONE), repeat(NONE), [...repeat(20), ...repeat(3_000)]],
  rejections: [repeat(NONE), [...repeat(0.5), ...repeat(1, 5), ...repeat(0.5)], [...repeat(0), ...repeat(1, 15)]],
  unavailable: [repeat(NONE), repeat(NONE), [...repeat(NONE), ...repeat(20)]],
  latency: [repeat(NONE), repeat(NONE), [...repeat(20), ...repeat(3_000)]],
  functionthrottles: [repeat(NONE), repeat(0), [...repeat(0), ...repeat(3)]],
  tablethrottles: [repeat(0), repeat(0), [...repeat(0), ...repeat(3)]],
  ...consumerCases(''),
  ...consumerCases('event'),
  webhookdeadletters: [repeat(NONE), repeat(NONE), [...repeat(NONE), 1]],
  rulefailures: [repeat(NONE), repeat(0), [...repeat(0), 1]],
  // Broken: the schedule is disabled, or every run fails.
  indexage: [[NONE, NONE, ...repeat(0)], repeat(0), [...repeat(0), ...repeat(NONE)]],
};

test('every alarm has its cases', () => {
  expect(Object.keys(cases).toSorted()).toEqual([...findAlarms().keys()].toSorted());
});

describe.each(Object.entries(cases))('the alarm %s', (name, [deploy, idle, broken]) => {
  test('is silent during the first deploy', () => expect(countNotifications(name, deploy)).toBe(0));
  test('is silent while the service is idle', () => expect(countNotifications(name, idle)).toBe(0));
  test('notifies once when what it watches breaks', () => expect(countNotifications(name, broken)).toBe(1));
});

test('table-throttles adds up reads and writes of the table and of its index', () => {
  const metrics = readMetricsOf(synthesize(), 'tablethrottles');
  const read = metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
  expect(read.map(({ MetricName, Dimensions }) => `${MetricName} ${Dimensions.length}`).toSorted()).toEqual([
    'ReadThrottleEvents 1',
    'ReadThrottleEvents 2',
    'WriteThrottleEvents 1',
    'WriteThrottleEvents 2',
  ]);
  const [expression] = metrics.flatMap(({ Expression }) => Expression ?? []);
  expect(expression).toBe('FILL(reads, 0) + FILL(writes, 0) + FILL(indexReads, 0) + FILL(indexWrites, 0)');
});

test('stream-age also fires when the event source retries a batch that fails', () => {
  expect(countNotifications('streamage', [...repeat(1_200), ...repeat(90_000)])).toBe(1);
});

test('a heartbeat reaches both consumers each minute, and no metrics of event sources are paid for', () => {
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
  /** Maximum delay of metrics. */
  const DELAY_SECONDS = 120;

  test.each(ids)('fires within the five minutes of a canary: %s', (id) => {
    const { Period, Metrics = [], DatapointsToAlarm } = found[id]?.Properties ?? {};
    const periods = [
      Period,
      ...Metrics.map(
        ({ Period, MetricStat }: { Period?: number; MetricStat?: { Period: number } }) => MetricStat?.Period ?? Period,
      ),
    ];
    const period = Math.max(...periods.filter((each) => each !== undefined));
    // One more period, because the canary's first is partial.
    expect(period * (1 + DatapointsToAlarm) + DELAY_SECONDS).toBeLessThanOrEqual(CANARY_SECONDS);
  });
});

type AlarmMetric = {
  Expression?: string;
  MetricStat?: { Metric: { MetricName: string; Dimensions: { Name: string; Value: { Ref?: string } }[] } };
};

function readMetricsOf(template: Template, name: string): AlarmMetric[] {
  const alarms = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  const [, alarm] = alarms.find(([id]) => new RegExp(`^monitoring${name}.{8}$`).test(id)) ?? [];
  return alarm?.Properties.Metrics ?? expect.fail(`no alarm ${name} of several metrics`);
}

function readQuery(template: Template, name: string): string | undefined {
  const metrics = readMetricsOf(template, name);
  expect(metrics).toEqual([expect.objectContaining({ Period: 60, ReturnData: true })]);
  return metrics[0]?.Expression;
}

/** Returns logical ids without hashes. */
function listFunctions(template: Template, name: string): string[] {
  const metrics = readMetricsOf(template, name).flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
  return metrics.map(({ MetricName, Dimensions }) => {
    expect(MetricName).toBe('Errors');
    expect(Dimensions).toEqual([{ Name: 'FunctionName', Value: { Ref: expect.any(String) } }]);
    return String(Dimensions[0]?.Value.Ref).slice(0, -8);
  });
}

describe('an alarm by group', () => {
  const settings = { events: 'on' };

  test('route-errors has the failure rate of each route', () => {
    expect(readQuery(synthesize(settings), 'routeerrors')).toBe(
      'SELECT MAX(FailureRate) FROM SCHEMA("UserManagement/UserManagement", Route) GROUP BY Route ORDER BY MAX() DESC',
    );
  });

  test('rejections averages all requests', () => {
    expect(readQuery(synthesize(settings), 'rejections')).toBe(
      'SELECT AVG(Rejected) FROM "UserManagement/UserManagement"',
    );
  });

  test.each([
    ['functionerrors', 'Average', [...operationNames, 'graphql'].map((each) => each.replaceAll('-', ''))],
    ['joberrors', 'Sum', ['changesonchange', 'pagesindexpages', 'eventspublishevents']],
  ])('%s has the highest value of its functions', (name, statistic, functions) => {
    const template = synthesize(settings);
    expect(listFunctions(template, name).toSorted()).toEqual(functions.toSorted());
    const [expression, ...metrics] = readMetricsOf(template, name);
    expect(expression).toMatchObject({ Expression: 'MAX(FILL(METRICS(), 0))', ReturnData: true });
    for (const metric of metrics)
      expect(metric).toMatchObject({ ReturnData: false, MetricStat: { Period: 60, Stat: statistic } });
  });

  // The latest minutes may lack values, which FILL sets to 0.
  test('function-errors fires although values arrive two minutes late', () => {
    expect(countNotifications('functionerrors', [...repeat(0), 1, 0, 0])).toBe(1);
  });

  test('with own records, a second alarm watches the functions beyond the limit of an alarm', () => {
    const fields = { sub: { type: 'string', subject: true, self: 'hidden' } };
    const settings = { auth: 'cognito', selfSignUp: 'http://localhost:3000/', canary: 'on', fields };
    const template = synthesize(settings);
    const parts = ['functionerrors', 'functionerrors2'].map((name) => listFunctions(template, name));
    expect(parts.map(({ length }) => length)).toEqual([10, 4]);
    expect(parts.flat()).toEqual(expect.arrayContaining(['getuser', 'getme', 'graphql', 'customizetoken']));
    // A refused sign-in is a failed invocation.
    const status = { type: 'string', enum: ['a', 'b'], blocks: ['b'], self: 'read' };
    const blocking = synthesize({ ...settings, fields: { ...fields, status } });
    expect(['functionerrors', 'functionerrors2'].flatMap((each) => listFunctions(blocking, each))).toEqual(
      parts.flat().filter((each) => each !== 'customizetoken'),
    );
    template.allResourcesProperties('AWS::CodeDeploy::DeploymentGroup', {
      AlarmConfiguration: { Alarms: Array.from({ length: ROLLBACK_ALARMS + 1 }, () => Match.anyValue()) },
    });
  });
});

test('each alarm has at most the ten metrics that AWS allows, and its query uses only documented operators', () => {
  const fields = { sub: { type: 'string', subject: true, self: 'hidden' } };
  for (const template of [
    synthesize({ events: 'on' }),
    synthesize({ auth: 'cognito', selfSignUp: 'http://localhost:3000/', fields }),
  ])
    for (const { Properties } of Object.values(template.findResources('AWS::CloudWatch::Alarm'))) {
      const metrics: AlarmMetric[] = Properties.Metrics ?? [];
      expect(metrics.filter(({ MetricStat }) => MetricStat).length).toBeLessThanOrEqual(10);
      for (const { Expression } of metrics) expect(JSON.stringify(Expression ?? '')).not.toMatch(/ (OR|IN|LIKE) /);
    }
});

/** JSON filter patterns: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html */
function matches(pattern: string, line: object): boolean {
  const read = (path: string) => path.split('.').reduce<unknown>((value, name) => Object(value)[name], line);
  const compare = (path: string, comparison: string, expected: string | number) => {
    const value = read(path);
    if (typeof expected === 'number') {
      const isNumber = typeof value === 'number';
      return isNumber && { '=': value === expected, '!=': value !== expected, '>': value > expected }[comparison];
    }
    const isEqual = new RegExp(`^${expected.replace(/[{}().]/g, '\\$&').replaceAll('*', '.*')}$`).test(String(value));
    return value !== undefined && isEqual === (comparison === '=');
  };
  const expression = pattern
    .replace(/^\{|\}$/g, '')
    .replace(
      /\$\.([\w.]+) (!?=|>) ("[^"]*"|\d+)/g,
      (_, path, comparison, value) => `c("${path}", "${comparison}", ${value})`,
    )
    .replace(/\$\.([\w.]+) NOT EXISTS/g, (_, path) => `(r("${path}") === undefined)`);
  return new Function('c', 'r', `return ${expression}`)(compare, read);
}

type Metric = { name: string; value: number; dimensions: object };

function readMetrics(line: object, group: 'logs' | 'access'): Metric[] {
  const filters = Object.values(synthesize().findResources('AWS::Logs::MetricFilter')).filter(
    ({ Properties }) => Properties.LogGroupName.Ref.startsWith('apiaccess') === (group === 'access'),
  );
  expect(filters.length).toBeGreaterThan(1);
  return filters
    .filter(({ Properties }) => matches(Properties.FilterPattern, line))
    .flatMap(({ Properties }) => {
      const [{ MetricName, MetricValue, Dimensions = [] }] = Properties.MetricTransformations;
      const read = (path: string) =>
        path
          .slice(2)
          .split('.')
          .reduce<unknown>((value, name) => Object(value)[name], line);
      const value = Number(MetricValue.startsWith('$') ? read(MetricValue) : MetricValue);
      const dimensions = Dimensions.map(({ Key, Value }: { Key: string; Value: string }) => [Key, read(Value)]);
      return { name: MetricName, value, dimensions: Object.fromEntries(dimensions) };
    });
}

const requestLine = (message: object) => ({ level: 'INFO', message: { event: 'request', ...message } });

describe('the log filters', () => {
  test('count internal errors, but no refused sign-ins of blocked people', () => {
    const internal = { name: 'InternalErrors', value: 1, dimensions: {} };
    for (const message of ['text', { event: 'internal-error' }, { errorType: 'TypeError', errorMessage: 'x' }])
      expect(readMetrics({ level: 'ERROR', message }, 'logs'), JSON.stringify(message)).toEqual([internal]);
    const { name, message } = new PersonBlocked('The person is blocked');
    const blocked = { level: 'ERROR', message: { errorType: name, errorMessage: message } };
    expect(readMetrics(blocked, 'logs')).toEqual([]);
  });

  test('read the failure rate of a route from requests that failed', () => {
    const route = 'GET /v1/users/{id}';
    expect(readMetrics(requestLine({ route, status: 200 }), 'logs')).toEqual([]);
    const failed = requestLine({ route, status: 500, failureRate: 0.25 });
    expect(readMetrics(failed, 'logs')).toEqual([{ name: 'FailureRate', value: 0.25, dimensions: { Route: route } }]);
  });

  test('count rejected GraphQL requests from function logs, and REST requests from the access log', () => {
    const route = 'POST graphql';
    const values = [200, 401, 403, 400].map((status) => readMetrics(requestLine({ route, status }), 'logs'));
    expect(values.flat()).toEqual([0, 1, 1, 0].map((value) => ({ name: 'Rejected', value, dimensions: {} })));
    expect(readMetrics(requestLine({ route: 'GET /v1/users', status: 403 }), 'logs')).toEqual([]);
    const statuses = ['200', '401', '403', '404'].map((status) => readMetrics({ status }, 'access'));
    expect(statuses.flat()).toEqual([0, 1, 1, 0].map((value) => ({ name: 'Rejected', value, dimensions: {} })));
  });

  test('count requests of REST that Lambda throttled', () => {
    const found = readMetrics({ status: '503', lambdaStatus: '429' }, 'access');
    expect(found).toContainEqual({ name: 'Throttled', value: 1, dimensions: {} });
    expect(readMetrics({ status: '429', lambdaStatus: '-' }, 'access')).toHaveLength(1);
  });

  test.each([
    ['an internal error', { level: 'ERROR', message: { event: 'internal-error' } }, ['InternalErrors']],
    ['code that cannot be started', { level: 'FATAL', message: {} }, ['InternalErrors']],
    ['an answer of 503', { level: 'WARN', message: { event: 'unavailable' } }, ['Unavailable']],
    ['a warning', { level: 'WARN', message: { event: 'token-rejected' } }, []],
    ['a time-out, which the metric Errors counts', { type: 'platform.report', record: { status: 'timeout' } }, []],
  ])('count %s', (_, line, names) => expect(readMetrics(line, 'logs').map(({ name }) => name)).toEqual(names));
});

test('Lambda itself only logs failures', () => {
  const handlers = Object.values(synthesize().findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => !Properties.Code.ZipFile,
  );
  expect(handlers.length).toBeGreaterThan(operationNames.length);
  for (const { Properties } of handlers) expect(Properties.LoggingConfig.SystemLogLevel).toBe('WARN');
});

type Widget = {
  type: string;
  properties: { title: string; alarms?: unknown[]; metrics?: unknown[]; annotations?: { horizontal: unknown[] } };
};

test('a dashboard is opt-in, and shows the alarms, a graph with the threshold of each, and the traffic', () => {
  synthesize().resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  const template = synthesize({ dashboard: 'on' });
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const parts: unknown[] = dashboard?.Properties.DashboardBody['Fn::Join'][1];
  const body = JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'reference')).join(''));
  const [status, ...graphs]: Widget[] = body.widgets;
  const names = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties.AlarmDescription.split('#')[1],
  );
  expect(body.start).toBe('-PT3H');
  expect(status).toMatchObject({ type: 'alarm', properties: { title: 'Alarms' } });
  expect(status?.properties.alarms).toHaveLength(names.length);
  const traffic = ['REST requests', 'Invocations', 'Capacity units'];
  expect(graphs.map(({ properties }) => properties.title)).toEqual([...names, ...traffic]);
  for (const { properties } of graphs) {
    expect(properties.metrics?.length, properties.title).toBeGreaterThan(0);
    if (!traffic.includes(properties.title)) expect(properties.annotations?.horizontal).toHaveLength(1);
  }
});
