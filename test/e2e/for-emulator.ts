import type { CfnResource, IAspect } from 'aws-cdk-lib';
import type { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/** Resource types that the emulator does not support. */
const UNSUPPORTED = ['AWS::EventSchemas::Registry', 'AWS::EventSchemas::Schema'];

/**
 * Adapts the stack to the emulator (ministack), keeping every referenced resource. Imports only types of CDK, because a team's app has a
 * separate copy of CDK.
 */
export const forEmulator: IAspect = {
  visit(node: IConstruct) {
    if (!('cfnResourceType' in node)) return;
    const resource = node as CfnResource;
    if (resource.cfnResourceType === 'AWS::CloudWatch::Alarm') replaceMath(resource as CfnAlarm);
    if (resource.cfnResourceType === 'AWS::Lambda::Function') extendTimeLimits(resource as CfnFunction);
    if (UNSUPPORTED.includes(resource.cfnResourceType)) {
      // Replaces the resource by one without properties or effect, so that references to it stay valid.
      resource.addOverride('Type', 'AWS::CloudFormation::WaitConditionHandle');
      resource.addDeletionOverride('Properties');
    }
  },
};

const TIME_LIMIT_SECONDS = 25;

/** Raises time limits, so that functions do not answer 503 when the emulator is slow on a busy machine. */
function extendTimeLimits(lambda: CfnFunction): void {
  if (lambda.timeout !== undefined && lambda.timeout <= TIME_LIMIT_SECONDS) lambda.timeout = TIME_LIMIT_SECONDS + 5;
  for (const name of ['REQUEST_TIME_LIMIT_MS', 'ATTEMPT_TIME_LIMIT_MS'])
    lambda.addPropertyOverride(`Environment.Variables.${name}`, String(TIME_LIMIT_SECONDS * 1000));
}

/** Replaces an alarm's metric math or labelled metric by a plain metric: the emulator only supports alarms with a metric name. */
function replaceMath(alarm: CfnAlarm): void {
  if (!alarm.metrics) return;
  Object.assign(alarm, { metrics: undefined, namespace: 'EndToEnd', metricName: 'Any', statistic: 'Sum', period: 60 });
}
