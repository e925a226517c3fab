import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct, IConstruct } from 'constructs';

/** Why checks of AwsSolutions do not apply to the console. */
export function acknowledgeConsoleChecks(scope: Construct, bucket: IBucket, distribution: Distribution): void {
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'The bucket holds a public build; CloudTrail records writes.',
  });
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'Users of the console may be anywhere.' },
    {
      id: 'AwsSolutions-CFR2',
      reason: 'The APIs authorize and throttle every request; a web ACL is a choice of the operator.',
    },
    { id: 'AwsSolutions-CFR3', reason: 'The APIs log their requests; requests for the build say nothing.' },
    {
      id: 'AwsSolutions-CFR4',
      reason: 'The default certificate of CloudFront has no later protocol; a domain is a choice of the operator.',
    },
  );
  const { node } = Stack.of(scope);
  for (const child of node.children) if (child.node.id.startsWith('Custom::')) acknowledgeCdkFunction(child, bucket);
}

/** The functions that CDK itself adds to copy and delete the files. */
function acknowledgeCdkFunction(child: IConstruct, bucket: IBucket): void {
  // The first child of a bucket is its CloudFormation resource.
  const name = Stack.of(child).getLogicalId(bucket.node.defaultChild as CfnElement);
  const actions = ['GetObject', 'GetBucket', 'List', 'DeleteObject', 'Abort'].map((action) => `Action::s3:${action}*`);
  const assets = 'Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*';
  Validations.of(child).acknowledge(
    {
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      reason: 'CDK grants its function only to write logs with this policy.',
    },
    ...[...actions, assets, `Resource::<${name}.Arn>/*`].map((finding) => ({
      id: `AwsSolutions-IAM5[${finding}]`,
      reason: 'CDK grants its function the objects of the asset and of the bucket.',
    })),
    { id: 'AwsSolutions-L1', reason: 'CDK chooses the runtime of its function.' },
  );
}
