import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/**
 * The key of customerManagedKey, for the table, the logs, the queue and the topic. Like the table, it is kept when the
 * stack is deleted, as the table cannot be read without it, but not when the deploy that creates it fails.
 */
export class ServiceKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, { enableKeyRotation: true, removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE });
    const { region, account, partition } = Stack.of(this);
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
    const logGroups = { 'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:*` };
    this.grantEncryptDecrypt(
      new ServicePrincipal(`logs.${region}.amazonaws.com`, { conditions: { ArnLike: logGroups } }),
    );
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
    this.grantEncryptDecrypt(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
  }
}
