import type { CfnResource, IAspect } from 'aws-cdk-lib';
import type { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

const UNSUPPORTED = ['AWS::EventSchemas::Registry', 'AWS::EventSchemas::Schema'];

/** Keeps every referenced resource. Imports only types, because a team's app has a separate copy of CDK. */
export const forEmulator: IAspect = {
  visit(node: IConstruct) {
    if (!('cfnResourceType' in node)) return;
    const resource = node as CfnResource;
    if (resource.cfnResourceType === 'AWS::CloudWatch::Alarm') replaceMath(resource as CfnAlarm);
    if (resource.cfnResourceType === 'AWS::Lambda::Function') extendTimeLimits(resource as CfnFunction);
    if (UNSUPPORTED.includes(resource.cfnResourceType)) {
      // The replacement has no effect, but keeps references valid.
      resource.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle');
      resource.addDeletionOverride('Properties');
    }
  },
};

const TIME_LIMIT_SECONDS = 25;

/** Functions would otherwise answer 503 on a busy machine. */
function extendTimeLimits(lambda: CfnFunction): void {
  if (lambda.timeout !== undefined && lambda.timeout <= TIME_LIMIT_SECONDS) lambda.timeout = TIME_LIMIT_SECONDS + 5;
  for (const name of ['REQUEST_TIME_LIMIT_MS', 'ATTEMPT_TIME_LIMIT_MS'])
    lambda.addPropertyOverride(`Environment.Variables.${name}`, String(TIME_LIMIT_SECONDS * 1000));
}

/** Replaces metric math, because the emulator requires a metric name. */
function replaceMath(alarm: CfnAlarm): void {
  if (!alarm.metrics) return;
  Object.assign(alarm, { metrics: undefined, namespace: 'EndToEnd', metricName: 'Any', statistic: 'Sum', period: 60 });
}
