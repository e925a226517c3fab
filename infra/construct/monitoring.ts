import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { type AlarmSpec, createAlarmSpecs, type MonitoredResources, perMinute, sumPerMinute } from './alarms.ts';
import type { SharedProps } from './service-function.ts';

/** Alarms notify a topic, and a dashboard shows them and their metrics. */
export class Monitoring extends Construct {
  /** These alarms roll back a canary deployment. */
  readonly rollbackAlarms: Alarm[];

  constructor(scope: Construct, id: string, resources: MonitoredResources & Pick<SharedProps, 'settings' | 'key'>) {
    super(scope, id);
    const { target, alarmEmail } = resources.settings;
    const { stackName, region } = Stack.of(this);
    const topic = this.#createTopic(resources.key, alarmEmail);

    const alarms = createAlarmSpecs(resources)
      .filter(({ metric }) => isSupported(metric, target))
      .map((spec) => ({ ...spec, alarm: this.#createAlarm(spec, topic) }));
    this.rollbackAlarms = alarms.flatMap(({ alarm, rollsBack }) => (rollsBack ? [alarm] : []));

    new Dashboard(this, 'dashboard', {
      // Names of dashboards are unique per account, not per region.
      dashboardName: `${stackName}-${region}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.map(({ alarm }) => alarm), width: 24 })],
        alarms.map(
          ({ name, metric, alarm }) =>
            new GraphWidget({ title: name, left: [metric], leftAnnotations: [alarm.toAnnotation()], width: 8 }),
        ),
        createTrafficWidgets(resources),
      ],
    });
  }

  #createTopic(key: Key | undefined, email: string | undefined): Topic {
    const topic = new Topic(this, 'alarms', { enforceSSL: true, ...(key ? { masterKey: key } : {}) });
    // enforceSSL replaces the default policy of the topic, which would let alarms publish.
    const fromThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: fromThisAccount }));
    if (email) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  #createAlarm({ name, meaning, metric, threshold, minutes, needsData }: AlarmSpec, topic: Topic): Alarm {
    const alarm = new Alarm(this, name, {
      alarmDescription: meaning,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: minutes ?? 5,
      datapointsToAlarm: minutes ?? 3,
      treatMissingData: needsData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
    if (needsData) alarm.addInsufficientDataAction(new SnsAction(topic));
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return alarm;
  }
}

const createTrafficWidgets = ({ stage, table, functions }: MonitoredResources): GraphWidget[] => [
  new GraphWidget({
    title: 'REST requests',
    left: [stage.metricCount(sumPerMinute)],
    width: 8,
  }),
  new GraphWidget({
    title: 'Invocations',
    left: functions.map((each) => each.metricInvocations(perMinute)),
    stacked: true,
    width: 8,
  }),
  new GraphWidget({
    title: 'Capacity units',
    left: [table.metricConsumedReadCapacityUnits(perMinute), table.metricConsumedWriteCapacityUnits(perMinute)],
    width: 8,
  }),
];

/**
 * The CloudFormation of the emulator supports alarms on a metric name only, and CDK renders metrics with a label or math in
 * full. With target=emulator the stack omits the others, and nothing else: so the e2e test can deploy it, and the limits of
 * the emulator (ministack) do not weaken the stack on AWS.
 */
function isSupported(metric: IMetric, target: Settings['target']): boolean {
  const { mathExpression, renderingProperties } = metric.toMetricConfig();
  return target === 'aws' || !(mathExpression || renderingProperties?.label);
}
