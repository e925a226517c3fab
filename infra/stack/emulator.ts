import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * What target=emulator leaves out of the stack, and why: all of it in this one place. The rehearsal uses it, so that
 * what the emulator (ministack) cannot do is not weakened where AWS can. Nothing else of the stack is changed for it.
 *
 * What it lacks beside a deployment, test/e2e brings along: the `awslambda` global (awslambda.ts), answers that
 * stream, and addresses that resolve (door.ts).
 *
 * What it takes but does not do, so that no e2e test shows it: throttling by the API, metric filters, deletion
 * protection, encryption. Its CloudFormation knows no CodeDeploy: with canary=on it refuses the template.
 */
export const emulatorTakes = {
  /** Its CloudFormation makes alarms of a metric's name only, while CDK spells out metrics with a label or with math. */
  alarmOn(metric: IMetric): boolean {
    const { mathExpression, renderingProperties } = metric.toMetricConfig();
    return !mathExpression && !renderingProperties?.label;
  },
} as const;
