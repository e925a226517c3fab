import * as cdk from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

type Acknowledgment = { id: string; reason: string };

/**
 * Does nothing in CDK before 2.24x, which lacks these checks. An id contains `<AWS::Region>` and the like, because a CDK
 * token cannot be part of a metadata key. cdk-nag inserts values that the stack knows into some ids. Therefore
 * acknowledges both.
 */
export function acknowledge(construct: IConstruct, ...findings: Acknowledgment[]): void {
  if (!('Validations' in cdk)) return;
  const stack = cdk.Stack.of(construct);
  for (const { id, reason } of findings)
    for (const each of new Set([id, insertKnownValues(stack, id)]))
      cdk.Validations.of(construct).acknowledge({ id: each, reason });
}

function insertKnownValues({ partition, region, account, stackName }: cdk.Stack, id: string): string {
  const values = { Partition: partition, Region: region, AccountId: account, StackName: stackName };
  return Object.entries(values).reduce(
    (text, [name, value]) => (cdk.Token.isUnresolved(value) ? text : text.replaceAll(`<AWS::${name}>`, value)),
    id,
  );
}

export function acknowledgeCopier(copier: IConstruct, bucket: IConstruct, path: string, actions: string[]): void {
  const stack = cdk.Stack.of(copier);
  const name = stack.getLogicalId(bucket.node.defaultChild as cdk.CfnElement);
  const qualifier = stack.synthesizer.bootstrapQualifier ?? cdk.DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  const assets = `Resource::arn:<AWS::Partition>:s3:::cdk-${qualifier}-assets-<AWS::AccountId>-<AWS::Region>/*`;
  const findings = [...actions.map((action) => `Action::s3:${action}*`), assets, `Resource::<${name}.Arn>${path}`];
  acknowledge(
    copier,
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      reason: 'CDK grants its function only to write logs with this policy.',
    },
    ...findings.map((finding) => ({
      id: `AwsSolutions-IAM5[${finding}]`,
      reason: 'CDK grants its function the objects of the asset and of the bucket.',
    })),
  );
}
