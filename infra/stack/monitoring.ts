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
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { type AlarmSpec, type MonitoredResources, alarmSpecs } from './alarms.ts';
import { emulatorTakes } from './emulator.ts';
import type { SharedProps } from './service-function.ts';

/** The alarms, the topic that they tell, and a dashboard that shows both them and what they watch. */
export class Monitoring extends Construct {
  /** The alarms that roll a deploy back. */
  readonly guards: Alarm[];

  constructor(scope: Construct, id: string, watched: MonitoredResources & Pick<SharedProps, 'settings' | 'key'>) {
    super(scope, id);
    const { target, alarmEmail, stackName } = watched.settings;
    const topic = this.#topic(watched.key, alarmEmail);

    const alarms = alarmSpecs(watched)
      .filter(({ metric }) => target === 'aws' || emulatorTakes.alarmOn(metric))
      .map((watch) => ({ ...watch, alarm: this.#alarm(watch, topic) }));
    this.guards = alarms.flatMap(({ alarm, rollsBack }) => (rollsBack ? [alarm] : []));

    new Dashboard(this, 'dashboard', {
      dashboardName: stackName,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: alarms.map(({ alarm }) => alarm), width: 24 })],
        alarms.map(
          ({ name, metric, alarm }) =>
            new GraphWidget({ title: name, left: [metric], leftAnnotations: [alarm.toAnnotation()], width: 8 }),
        ),
        trafficOf(watched),
      ],
    });
  }

  #topic(key: Key | undefined, email: string | undefined): Topic {
    const topic = new Topic(this, 'alarms', { enforceSSL: true, ...(key ? { masterKey: key } : {}) });
    // A topic with a policy of its own has lost the default one, which lets alarms publish.
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions: ofThisAccount }));
    if (email) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  #alarm({ name, meaning, metric, threshold, minutes, missing }: AlarmSpec, topic: Topic): Alarm {
    const alarm = new Alarm(this, name, {
      alarmDescription: meaning,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: minutes ?? 5,
      datapointsToAlarm: minutes ?? 3,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return alarm;
  }
}

const everyMinute = { period: Duration.minutes(1) };

const trafficOf = ({ stage, table, functions }: MonitoredResources): GraphWidget[] => [
  new GraphWidget({
    title: 'REST requests',
    left: [stage.metricCount({ ...everyMinute, statistic: 'Sum' })],
    width: 8,
  }),
  new GraphWidget({
    title: 'Invocations',
    left: functions.map((one) => one.metricInvocations(everyMinute)),
    stacked: true,
    width: 8,
  }),
  new GraphWidget({
    title: 'Capacity units',
    left: [table.metricConsumedReadCapacityUnits(everyMinute), table.metricConsumedWriteCapacityUnits(everyMinute)],
    width: 8,
  }),
];
