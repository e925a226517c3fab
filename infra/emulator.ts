import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * What target=emulator leaves out of the stack, and why: all of it in this one place. The rehearsal uses it, so that
 * what the emulator cannot do is not weakened where AWS can.
 */
export const emulatorTakes = {
  /** Its CloudFormation makes alarms of a metric's name only, while CDK spells out metrics with a label or with math. */
  alarmOn(metric: IMetric): boolean {
    const { mathExpression, renderingProperties } = metric.toMetricConfig();
    return !mathExpression && !renderingProperties?.label;
  },
} as const;
