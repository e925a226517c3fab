import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * Everything that target=emulator omits from the stack, and why. The e2e test deploys with it, so that limits of the
 * emulator (ministack) do not weaken the stack on AWS. Nothing else depends on the target.
 *
 * test/e2e supplies what the emulator lacks at run time: the `awslambda` global (awslambda.ts), streamed responses and
 * host names that resolve (proxy.ts).
 *
 * The emulator accepts the following but does not enforce it, so no e2e test covers it: throttling by the API, metric
 * filters, deletion protection, encryption. Its CloudFormation does not support CodeDeploy and rejects canary=on.
 */
export const emulatorSupports = {
  /** Its CloudFormation supports alarms on a metric name only, and CDK renders metrics with a label or math in full. */
  alarmOn(metric: IMetric): boolean {
    const { mathExpression, renderingProperties } = metric.toMetricConfig();
    return !mathExpression && !renderingProperties?.label;
  },
} as const;
