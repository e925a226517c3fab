import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { SettingError } from '../settings/settings.ts';
import { type AlarmSpec, createAlarmSpecs, type MonitoredResources, perMinute, sumPerMinute } from './alarms.ts';
import type { UserManagementProps } from './props.ts';
import type { SharedProps } from './service-function.ts';

type Props = Pick<SharedProps, 'alarmEmail' | 'dashboard' | 'runbookUrl'> &
  Pick<UserManagementProps, 'alarmTopic' | 'alarmThresholds'>;

export class Monitoring extends Construct {
  readonly alarms: Alarm[];
  readonly topic: ITopic;
  readonly rollbackAlarms: Alarm[];
  readonly #runbookUrl: string;

  constructor(scope: Construct, id: string, resources: MonitoredResources & Props) {
    super(scope, id);
    const { name, alarmTopic, alarmEmail, runbookUrl = 'infra/runbook.md' } = resources;
    this.#runbookUrl = runbookUrl;
    // Cast: CDK's types do not satisfy `exactOptionalPropertyTypes`.
    this.topic = alarmTopic ?? (this.#createTopic() as ITopic);
    // Another service may have subscribed the same address to this topic.
    if (alarmEmail && !this.topic.node.tryFindChild(alarmEmail))
      this.topic.addSubscription(new EmailSubscription(alarmEmail));

    const specs = applyThresholds(this, createAlarmSpecs(resources), resources.alarmThresholds);
    const alarms = specs.map((spec) => ({ ...spec, alarm: this.#createAlarm(spec) }));
    this.alarms = alarms.map(({ alarm }) => alarm);
    this.rollbackAlarms = alarms.flatMap(({ alarm, rollsBack }) => (rollsBack ? [alarm] : []));

    if (resources.dashboard)
      new Dashboard(this, 'dashboard', {
        // Unique in an account across all regions.
        dashboardName: `${name}-${Stack.of(this).region}`,
        defaultInterval: Duration.hours(3),
        widgets: [
          [new AlarmStatusWidget({ title: 'Alarms', alarms: this.alarms, width: 24 })],
          alarms.map(
            ({ name, metric, alarm }) =>
              new GraphWidget({ title: name, left: [metric], leftAnnotations: [alarm.toAnnotation()], width: 8 }),
          ),
          createTrafficWidgets(resources),
        ],
      });
  }

  /**
   * Not encrypted with the service's KMS key, so alarms arrive even if it is disabled. Messages contain no personal
   * data.
   */
  #createTopic(): Topic {
    const topic = new Topic(this, 'alarms', { enforceSSL: true });
    // enforceSSL replaces the topic's default policy, so alarms need their own permission to publish.
    const fromThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: fromThisAccount }));
    return topic;
  }

  #createAlarm({ name, meaning, metric, threshold, evaluation, needsData }: AlarmSpec): Alarm {
    const alarm = new Alarm(this, name, {
      alarmDescription: `${meaning} Runbook: ${this.#runbookUrl}#${name}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: evaluation.evaluated,
      datapointsToAlarm: evaluation.breaching,
      treatMissingData: needsData ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    });
    const notify = new SnsAction(this.topic);
    if (needsData) alarm.addInsufficientDataAction(notify);
    alarm.addAlarmAction(notify);
    alarm.addOkAction(notify);
    return alarm;
  }
}

function applyThresholds(
  { node }: Construct,
  specs: AlarmSpec[],
  thresholds: { readonly [alarm: string]: number } = {},
): AlarmSpec[] {
  const names = specs.map(({ name }) => name);
  const unknown = Object.keys(thresholds).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new SettingError(
      `${node.path}: alarmThresholds has unknown alarms ${unknown.join(', ')}; the alarms are ${names.toSorted().join(', ')}.`,
    );
  return specs.map((spec) => ({ ...spec, threshold: thresholds[spec.name] ?? spec.threshold }));
}

const createTrafficWidgets = ({
  stage,
  table,
  requestFunctions,
  backgroundFunctions,
}: MonitoredResources): GraphWidget[] => [
  new GraphWidget({
    title: 'REST requests',
    left: [stage.metricCount(sumPerMinute)],
    width: 8,
  }),
  new GraphWidget({
    title: 'Invocations',
    left: [...requestFunctions, ...backgroundFunctions].map((each) => each.metricInvocations(perMinute)),
    stacked: true,
    width: 8,
  }),
  new GraphWidget({
    title: 'Capacity units',
    left: [table.metricConsumedReadCapacityUnits(perMinute), table.metricConsumedWriteCapacityUnits(perMinute)],
    width: 8,
  }),
];
